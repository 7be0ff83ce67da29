#include "models/topics/gamma_nb.hpp"

#include <algorithm>
#include <cmath>

#include "models/topics/topic_params.hpp"

namespace quasar {

// To begin with, as many tables as a few topics in each document would have.
GammaNbWeights::GammaNbWeights(Index topics, const GammaNbPrior& prior, std::size_t threads)
    : r(Vec::Constant(topics, 5.0 / static_cast<double>(topics))), prior_(prior), tables_(topics, threads) {}

std::vector<NamedNumber> GammaNbWeights::scalars() const { return {{"g0", g0}, {"total_weight", r.sum()}}; }

void GammaNbWeights::begin(const Rng& sweep) {
  rng_ = sweep;
  tables_.clear();
}

void GammaNbWeights::see(std::size_t thread, Index, std::span<const std::uint32_t> topic_counts) {
  tables_.see(thread, topic_counts);
}

void GammaNbWeights::draw(In exposures) {
  const auto topics = static_cast<double>(r.size());
  const Vec tables = tables_.draw(r, rng_.child("tables"));
  const double q = exposures.sum();
  Vec tables_of_tables(r.size());
  tables_.for_topics([&](Index k) {
    const Rng name = rng_.child("topic", static_cast<std::uint64_t>(k));
    tables_of_tables[k] = static_cast<double>(
        draw_tables(static_cast<std::int64_t>(tables[k]), g0 / topics, name.stream("tables of tables")));
  });
  g0 = std::max(least_weight,
                rng_.stream("g0").gamma(prior_.e0 + tables_of_tables.sum()) / (prior_.f0 + std::log1p(q / prior_.c0)));
  Stream draws = rng_.stream("weights");
  for (Index k = 0; k < r.size(); ++k) {
    r[k] = std::max(least_weight, draws.gamma(g0 / topics + tables[k]) / (prior_.c0 + q));
  }
}

std::span<const ParamSpec> gamma_nb_params() {
  static const auto params = factor_params(
      {positive_param("c0", "rate of the topics' weights r_k ~ Gamma(g0 / topics, c0)", "1"),
       positive_param("e0", "shape of the law of g0", "1"), positive_param("f0", "rate of the law of g0", "1")});
  return params;
}

std::unique_ptr<TopicMethod> make_gamma_nb(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                           const TopicRun& run) {
  const FactorSettings settings = factor_settings(config);
  const GammaNbPrior prior{config.real("c0"), config.real("e0"), config.real("f0")};
  return std::make_unique<FactorGibbs>(
      std::move(documents), settings,
      std::make_unique<GammaNbWeights>(settings.topics, prior, static_cast<std::size_t>(run.threads)), run);
}

}  // namespace quasar
