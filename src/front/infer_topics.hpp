// New documents by topics that were fitted: the shares of the topics in them, and how well their words are told.
#pragma once

#include <quasar/corpus.hpp>
#include <quasar/topics.hpp>

#include "models/topics/held_out.hpp"

namespace quasar {

// topics x documents: means over the draws; where topics are not the same in all of them, of the last. The documents
// need not be in memory.
Eigen::MatrixXf infer_shares(const DocumentSource& documents, const FittedTopics& topics, const FoldIn& settings,
                             const Rng& rng);

struct TopicScore {
  HeldOutScore topics, unigram;
  double uniform = 0;  // the perplexity of words that are all as likely
};

// Document completion: `share` of the tokens are kept back, and their probabilities averaged over the draws.
// DataError: nothing is left to judge by.
TopicScore score_topics(const DocumentSource& documents, const FittedTopics& topics, double share,
                        const FoldIn& settings, const Rng& rng);

}  // namespace quasar
