#include "models/topics/vibp.hpp"

#include <array>
#include <utility>

#include "models/topics/topic_params.hpp"
#include "models/topics/variational/inclusion_params.hpp"
#include "models/topics/variational/indian_buffet.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 2> constructions{{{"finite"}, {"sticks"}}};

std::unique_ptr<InclusionLaw> buffet_law(const Config& config) {
  const auto topics = static_cast<Index>(config.integer("topics"));
  const GammaPrior prior{config.real("alpha_shape"), config.real("alpha_rate")};
  if (config.text("construction") == "sticks") return std::make_unique<StickBuffet>(topics, prior);
  return std::make_unique<FiniteBuffet>(topics, prior);
}

}  // namespace

std::span<const ParamSpec> vibp_params() {
  static const auto params = joined(
      {inclusion_params(),
       {{.name = "construction",
         .doc = "finite: pi_k ~ Beta(alpha / K, 1); sticks: products of Beta(alpha, 1), which fall from topic to topic",
         .type = ParamSpec::choice,
         .init = "finite",
         .choices = constructions},
        positive_param("alpha_shape", "of the Gamma law of alpha, the mean number of topics in a document", "1"),
        positive_param("alpha_rate", "of the same law", "1")}});
  return params;
}

std::unique_ptr<TopicMethod> make_vibp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                       const TopicRun& run) {
  return make_inclusion_topics(std::move(documents), config, buffet_law(config), run);
}

}  // namespace quasar
