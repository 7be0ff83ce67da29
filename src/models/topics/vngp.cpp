#include "models/topics/vngp.hpp"

#include <array>
#include <utility>

#include "models/topics/topic_params.hpp"
#include "models/topics/variational/gamma_topics_params.hpp"
#include "models/topics/variational/independent_weights.hpp"
#include "models/topics/variational/stick_weights.hpp"
#include "models/topics/variational/variational_topics.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 2> stick_choices{{{"broken"}, {"independent"}}};

std::unique_ptr<WeightLaw> make_law(Index topics, const Config& config) {
  const StickPrior prior{{config.real("alpha_shape"), config.real("alpha_rate")},
                         {config.real("c_shape"), config.real("c_rate")}};
  if (config.text("sticks") == "independent") return std::make_unique<IndependentWeights>(topics, prior);
  return std::make_unique<StickWeights>(topics, prior);
}

}  // namespace

std::span<const ParamSpec> vngp_params() {
  static const auto params = joined(
      {ascent_params(),
       document_scale_params(),
       {{.name = "sticks",
         .doc =
             "broken: what a topic leaves of the total weight is for the next; independent: as published, with shares "
             "that sum to 1 on average only",
         .type = ParamSpec::choice,
         .init = "broken",
         .choices = stick_choices},
        positive_param("alpha_shape", "of the Gamma law of alpha: the larger, the more topics share the weight", "1"),
        positive_param("alpha_rate", "of the same law", "1"),
        positive_param("c_shape", "of the Gamma law of c, the rate of the total weight", "1"),
        positive_param("c_rate", "of the same law", "1")}});
  return params;
}

std::unique_ptr<TopicMethod> make_vngp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                       const TopicRun& run) {
  const GammaTopicsSettings settings = gamma_topics_settings(config);
  auto model =
      std::make_unique<GammaTopics>(std::move(documents), settings, make_law(settings.topics, config), run.threads);
  return std::make_unique<VariationalTopics>(std::move(model), ascent_settings(config), Rng(run.seed));
}

}  // namespace quasar
