#include "models/topics/vgp_svi.hpp"

#include <utility>

#include "models/topics/topic_params.hpp"
#include "models/topics/variational/atom_weights.hpp"
#include "models/topics/variational/gamma_topics_params.hpp"
#include "models/topics/variational/stochastic_gamma_topics.hpp"

namespace quasar {

std::span<const ParamSpec> vgp_svi_params() {
  static const auto params =
      joined({{topics_param(),
               word_prior_param("0.4"),
               {.name = "batch_size",
                .doc = "documents of a step",
                .type = ParamSpec::integer,
                .init = "256",
                .min = 1,
                .max = 1e9},
               {.name = "delay",
                .doc = "step t, from 0, has length (t + delay)^-kappa: a large delay trusts the first steps less",
                .type = ParamSpec::real,
                .init = "1",
                .min = 1,
                .max = 1e9},
               {.name = "kappa",
                .doc = "how fast steps become shorter; above 0.5 they converge",
                .type = ParamSpec::real,
                .init = "0.6",
                .min = 0,
                .max = 1},
               {.name = "local_steps",
                .doc = "turns to find the topics of a document, at most",
                .type = ParamSpec::integer,
                .init = "100",
                .min = 1,
                .max = 1e6}},
              document_scale_params(),
              gamma_process_params()});
  return params;
}

std::unique_ptr<TopicMethod> make_vgp_svi(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                          const TopicRun& run) {
  const StochasticSettings settings{gamma_topics_settings(config), static_cast<Index>(config.integer("batch_size")),
                                    config.real("delay"), config.real("kappa"),
                                    static_cast<Index>(config.integer("local_steps"))};
  auto law = std::make_unique<AtomWeights>(settings.model.topics, gamma_process_hyperpriors(config));
  return std::make_unique<StochasticGammaTopics>(std::move(documents), settings, std::move(law), run);
}

}  // namespace quasar
