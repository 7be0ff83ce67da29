// Variational inference for topics that take part in a document or not, by a beta process.
#pragma once

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> vbp_params();
std::unique_ptr<TopicMethod> make_vbp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                      const TopicRun& run);

}  // namespace quasar
