#include "models/topics/variational/inclusion_params.hpp"

#include <utility>

#include "models/topics/topic_params.hpp"

namespace quasar {

std::vector<ParamSpec> inclusion_params() {
  const auto shape_like = [](std::string_view name, std::string_view doc, std::string_view init) {
    return ParamSpec{.name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0.01, .max = 1e4};
  };
  return joined({ascent_params(),
                 {shape_like("weight_shape", "of the Gamma law of a topic's tokens in a document that it is in", "1"),
                  shape_like("weight_rate", "of the same law: the mean is shape over rate", "0.1")}});
}

std::unique_ptr<TopicMethod> make_inclusion_topics(std::shared_ptr<const DocumentSource> documents,
                                                   const Config& config, std::unique_ptr<InclusionLaw> law,
                                                   const TopicRun& run) {
  const InclusionSettings settings{static_cast<Index>(config.integer("topics")),
                                   config.real("word_prior"),
                                   {config.real("weight_shape"), config.real("weight_rate")}};
  auto model = std::make_unique<InclusionTopics>(std::move(documents), settings, std::move(law), run.threads);
  return std::make_unique<VariationalTopics>(std::move(model), ascent_settings(config), Rng(run.seed));
}

}  // namespace quasar
