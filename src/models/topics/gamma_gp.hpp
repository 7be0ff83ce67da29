// Factor analysis of counts whose weights are the atoms of a gamma process, r_k = E_k exp(-T_k): its prior and the
// steps of a sweep are those of gamma_process_prior.hpp, with tables for counts and q = -sum_j log(1 - p_j) for
// exposure. (Roychowdhury 2017, section 6.3, holds such a sampler to be infeasible; tables make it one.)
#pragma once

#include "models/topics/factor_gibbs.hpp"
#include "models/topics/gamma_process_prior.hpp"
#include "models/topics/topic_weights.hpp"

namespace quasar {

class GammaGpWeights final : public TopicWeights {
 public:
  GammaGpWeights(Index topics, const GammaProcessHyperpriors& prior, std::size_t threads);

  DocumentWeights in_documents() const override { return {DocumentWeights::Per::topic, r_}; }
  double sum(Index) const override { return r_.sum(); }
  Vec of_new_document() const override { return r_; }
  std::vector<NamedNumber> scalars() const override;
  void begin(const Rng& sweep) override;
  void see(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) override;
  void draw(In exposures) override;
  void save(Writer& out) const override { out("atoms", atoms_); }
  void load(Reader& in) override;

  const GammaProcessAtoms& atoms() const { return atoms_; }
  void set_atoms(GammaProcessAtoms atoms);

 private:
  GammaProcessHyperpriors prior_;
  GammaProcessAtoms atoms_;
  Vec r_;
  Rng rng_{0};
  TopicTables tables_;
};

std::span<const ParamSpec> gamma_gp_params();
std::unique_ptr<TopicMethod> make_gamma_gp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                           const TopicRun& run);

}  // namespace quasar
