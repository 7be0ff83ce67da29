// Variational inference for topics with the weights of a gamma process, in its naive construction: a total weight and
// sticks.
#pragma once

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> vngp_params();
std::unique_ptr<TopicMethod> make_vngp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                       const TopicRun& run);

}  // namespace quasar
