#include "models/topics/gamma_gp.hpp"

#include <algorithm>
#include <cmath>

#include "models/topics/topic_params.hpp"

namespace quasar {

// To begin with, all topics weigh the same, as much together as a few in each document do.
GammaGpWeights::GammaGpWeights(Index topics, const GammaProcessHyperpriors& prior, std::size_t threads)
    : prior_(prior), tables_(topics, threads) {
  GammaProcessAtoms atoms;
  atoms.resize(topics);
  atoms.T.setOnes();
  atoms.E.setConstant(std::exp(1.0) * 5.0 / static_cast<double>(topics));
  set_atoms(std::move(atoms));
}

void GammaGpWeights::set_atoms(GammaProcessAtoms atoms) {
  atoms_ = std::move(atoms);
  r_ = atoms_.weights().cwiseMax(least_weight);
}

void GammaGpWeights::load(Reader& in) {
  in("atoms", atoms_);
  set_atoms(std::move(atoms_));
}

std::vector<NamedNumber> GammaGpWeights::scalars() const {
  return {{"alpha", atoms_.alpha}, {"gamma", atoms_.gamma}, {"c", atoms_.c}, {"total_weight", r_.sum()}};
}

void GammaGpWeights::begin(const Rng& sweep) {
  rng_ = sweep;
  tables_.clear();
}

void GammaGpWeights::see(std::size_t thread, Index, std::span<const std::uint32_t> topic_counts) {
  tables_.see(thread, topic_counts);
}

void GammaGpWeights::draw(In exposures) {
  update_atoms(tables_.draw(r_, rng_.child("tables")), exposures.sum(), prior_.rounds, atoms_, rng_.child("atoms"));
  update_hyperparameters(prior_, atoms_, rng_.child("hyperparameters"));
  set_atoms(std::move(atoms_));
}

std::span<const ParamSpec> gamma_gp_params() {
  static const auto params = factor_params(gamma_process_params());
  return params;
}

std::unique_ptr<TopicMethod> make_gamma_gp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                           const TopicRun& run) {
  const FactorSettings settings = factor_settings(config);
  return std::make_unique<FactorGibbs>(
      std::move(documents), settings,
      std::make_unique<GammaGpWeights>(settings.topics, gamma_process_hyperpriors(config),
                                       static_cast<std::size_t>(run.threads)),
      run);
}

}  // namespace quasar
