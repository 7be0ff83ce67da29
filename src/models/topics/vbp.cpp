#include "models/topics/vbp.hpp"

#include <utility>

#include "models/topics/topic_params.hpp"
#include "models/topics/variational/beta_process.hpp"
#include "models/topics/variational/inclusion_params.hpp"

namespace quasar {

std::span<const ParamSpec> vbp_params() {
  static const auto params =
      joined({inclusion_params(),
              {{.name = "rounds",
                .doc = "R: the process is cut off after so many rounds",
                .type = ParamSpec::integer,
                .init = "10",
                .min = 1,
                .max = 10000},
               positive_param("alpha_shape",
                              "of the Gamma law of alpha, by which probabilities fall from round to round", "1"),
               positive_param("alpha_rate", "of the same law", "1"),
               positive_param("gamma_shape", "of the Gamma law of gamma, the mean number of topics in a round", "1"),
               positive_param("gamma_rate", "of the same law", "1")}});
  return params;
}

std::unique_ptr<TopicMethod> make_vbp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run) {
  const BetaProcessPrior prior{static_cast<Index>(config.integer("rounds")),
                               {config.real("alpha_shape"), config.real("alpha_rate")},
                               {config.real("gamma_shape"), config.real("gamma_rate")}};
  const auto topics = static_cast<Index>(config.integer("topics"));
  return make_inclusion_topics(std::move(documents), config, std::make_unique<BetaProcess>(topics, prior), run);
}

}  // namespace quasar
