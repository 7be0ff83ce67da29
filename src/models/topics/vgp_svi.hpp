// Stochastic variational inference for vgp: a step reads a minibatch of documents S, finds the topics of its tokens
// given what is known of topics and weights, and moves the sufficient statistics (Y, L, q) of all N documents, as
// running averages, towards N / |S| times those of the batch. With b = beta + Y and so on this is a step along the
// natural gradient of the bound, of length (t + delay)^-kappa.
//
// M. Hoffman, D. Blei, C. Wang and J. Paisley, Stochastic variational inference, JMLR 14 (2013) 1303-1347.
#pragma once

#include "models/topics/topic_method.hpp"

namespace quasar {

std::span<const ParamSpec> vgp_svi_params();
std::unique_ptr<TopicMethod> make_vgp_svi(std::shared_ptr<const DocumentSource> documents, const Config& config,
                                          const TopicRun& run);

}  // namespace quasar
