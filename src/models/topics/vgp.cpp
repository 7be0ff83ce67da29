#include "models/topics/vgp.hpp"

#include <utility>

#include "models/topics/topic_params.hpp"
#include "models/topics/variational/atom_weights.hpp"
#include "models/topics/variational/gamma_topics_params.hpp"
#include "models/topics/variational/variational_topics.hpp"

namespace quasar {

std::span<const ParamSpec> vgp_params() {
  static const auto params = joined({ascent_params(), document_scale_params(), gamma_process_params()});
  return params;
}

std::unique_ptr<TopicMethod> make_vgp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run) {
  const GammaTopicsSettings settings = gamma_topics_settings(config);
  auto law = std::make_unique<AtomWeights>(settings.topics, gamma_process_hyperpriors(config));
  auto model = std::make_unique<GammaTopics>(std::move(documents), settings, std::move(law), run.threads);
  return std::make_unique<VariationalTopics>(std::move(model), ascent_settings(config), Rng(run.seed));
}

}  // namespace quasar
