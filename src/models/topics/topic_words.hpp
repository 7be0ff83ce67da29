// The words of the topics given the topics of all tokens: phi_k ~ Dirichlet(prior + x_{v.k}).
#pragma once

#include <quasar/rng.hpp>

#include "models/topics/token_topics.hpp"

namespace quasar {

// Probabilities are at least this, so that single precision rules no word out.
inline constexpr float least_phi = 1e-30F;

void draw_topic_words(const WordTopicCounts& counts, double prior, int threads, const Rng& rng, WordTopics& phi);

// The mean of that law, which tells unseen words better than a draw does. topics x words
Eigen::MatrixXf mean_topic_words(const WordTopicCounts& counts, double prior);

}  // namespace quasar
