#include "models/topics/variational/gamma_topics_params.hpp"

#include <array>

#include "models/topics/topic_params.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 2> scale_choices{{{"learned"}, {"fixed"}}};

}  // namespace

std::vector<ParamSpec> document_scale_params() {
  return joined({{{.name = "scales",
                   .doc = "learned: each document has a scale p_n / (1 - p_n) of its own; fixed: all have 1",
                   .type = ParamSpec::choice,
                   .init = "learned",
                   .choices = scale_choices}},
                 scale_params()});
}

std::optional<ScalePrior> document_scale_prior(const Config& config) {
  if (config.text("scales") == "fixed") return std::nullopt;
  return ScalePrior{config.real("a0"), config.real("b0")};
}

GammaTopicsSettings gamma_topics_settings(const Config& config) {
  return {static_cast<Index>(config.integer("topics")), config.real("word_prior"), document_scale_prior(config)};
}

}  // namespace quasar
