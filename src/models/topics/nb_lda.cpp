#include "models/topics/nb_lda.hpp"

#include <algorithm>

#include "core/parts.hpp"
#include "models/topics/topic_params.hpp"

namespace quasar {

NbLdaWeights::NbLdaWeights(Index topics, Index documents, const NbLdaPrior& prior, std::size_t threads)
    : r(Vec::Constant(documents, 5.0 / static_cast<double>(topics))),
      topics_(topics),
      prior_(prior),
      of_thread_(threads),
      tables_(Vec::Zero(documents)) {}

Vec NbLdaWeights::of_new_document() const {
  return Vec::Constant(topics_, r.size() > 0 ? r.mean() : prior_.g0 / prior_.c0);
}

std::vector<NamedNumber> NbLdaWeights::scalars() const { return {{"mean_weight", of_new_document()[0]}}; }

void NbLdaWeights::see(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) {
  CountHistogram& counts = of_thread_[thread];
  counts.clear();
  for (const std::uint32_t count : topic_counts) counts.add(count);
  const Rng name = rng_.child("document", static_cast<std::uint64_t>(document));
  tables_[document] = static_cast<double>(counts.draw_tables(r[document], name.stream("tables")));
}

void NbLdaWeights::draw(In exposures) {
  const auto topics = static_cast<double>(topics_);
  in_parts(r.size(), of_thread_.size(), [&](std::size_t, Index begin, Index end) {
    Stream draws = rng_.stream("weights");
    draws.seek(static_cast<std::uint64_t>(begin));
    for (Index j = begin; j < end; ++j) {
      r[j] = std::max(least_weight, draws.gamma(prior_.g0 + tables_[j]) / (prior_.c0 + topics * exposures[j]));
    }
  });
}

std::span<const ParamSpec> nb_lda_params() {
  static const auto params =
      factor_params({positive_param("g0", "shape of the law of a document's weight r_j ~ Gamma(g0, c0)", "1"),
                     positive_param("c0", "rate of it", "1")});
  return params;
}

std::unique_ptr<TopicMethod> make_nb_lda(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                         const TopicRun& run) {
  const FactorSettings settings = factor_settings(config);
  const NbLdaPrior prior{config.real("g0"), config.real("c0")};
  auto weights = std::make_unique<NbLdaWeights>(settings.topics, documents->documents(), prior,
                                                static_cast<std::size_t>(run.threads));
  return std::make_unique<FactorGibbs>(std::move(documents), settings, std::move(weights), run);
}

}  // namespace quasar
