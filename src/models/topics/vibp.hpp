// Variational inference for topics that take part in a document or not, by an Indian buffet process.
#pragma once

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> vibp_params();
std::unique_ptr<TopicMethod> make_vibp(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                       const TopicRun& run);

}  // namespace quasar
