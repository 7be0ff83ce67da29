// Parameters that vibp and vbp share, and the method of a law.
#pragma once

#include "models/topics/variational/inclusion_topics.hpp"
#include "models/topics/variational/variational_topics.hpp"

namespace quasar {

std::vector<ParamSpec> inclusion_params();  // those of every ascent, weight_shape, weight_rate
std::unique_ptr<TopicMethod> make_inclusion_topics(std::shared_ptr<const DocumentSource> documents,
                                                   const Config& config, std::unique_ptr<InclusionLaw> law,
                                                   const TopicRun& run);

}  // namespace quasar
