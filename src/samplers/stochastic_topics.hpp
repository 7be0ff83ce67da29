// Topics by stochastic gradients: a step reads a minibatch of documents, draws the topics of their tokens, and moves
// what the weights are made of by any sampler of the registry on estimated gradients, then the topics' words.
//
// It stands among the samplers, not among the models, because it makes one of them run.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> stochastic_topics_params();
std::unique_ptr<TopicMethod> make_stochastic_topics(std::shared_ptr<const DocumentSource> documents,
                                                    const Config& config, const TopicRun& run);

}  // namespace quasar
