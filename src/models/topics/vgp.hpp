// Variational inference for topics with the weights of a gamma process (models/topics/variational/atom_weights.hpp).
#pragma once

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> vgp_params();
std::unique_ptr<TopicMethod> make_vgp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run);

}  // namespace quasar
