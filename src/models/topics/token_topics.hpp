// The topic of every token of a corpus, and what the other conditionals need to know of them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "models/topics/document_sweep.hpp"

namespace quasar {

// How many tokens of each word belong to each topic: word after word, as in WordTopics.
using WordTopicCounts = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic>;  // topics x words

struct DocumentWeights {  // r: one for each topic, or one for each document
  enum class Per { topic, document } per;
  const Vec& values;
};

class TokenTopics {
 public:
  TokenTopics(const Corpus& corpus, Index topics, int threads);  // the corpus outlives it. DataError: most_tokens

  // Told of each document once its topics are drawn: by the thread `thread`, documents in any order.
  using Visit = std::function<void(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts)>;

  // Each draws the topics of all tokens: from nothing, or given those there are.
  void start(const WordTopics& phi, const DocumentWeights& weights, const Rng& rng, const Visit& visit);
  void sweep(const WordTopics& phi, const DocumentWeights& weights, const Rng& rng, const Visit& visit);

  // Counts the topics that stand there: after loading them, for instance. DataError: some are not among `topics`
  void count(const Visit& visit);

  const Corpus& corpus() const { return *corpus_; }
  Index topics() const { return topics_; }
  std::size_t threads() const { return counts_.size(); }
  const WordTopicCounts& word_counts() const { return counts_.front(); }
  std::span<const TopicOfToken> document(Index n) const;
  std::span<TopicOfToken> document(Index n);

  static void fields(auto& self, auto&& visit) { visit("topics", self.of_token_); }

 private:
  enum class Act { start, sweep, count };
  void visit_all(Act act, const WordTopics* phi, const DocumentWeights* weights, const Rng& rng, const Visit& visit);
  void add_word_counts(Index document, WordTopicCounts& counts) const;
  void clear_word_counts();
  void sum_word_counts();

  const Corpus* corpus_;
  Index topics_;
  std::vector<std::int64_t> first_token_;  // of each document, and the end of the last
  std::vector<TopicOfToken> of_token_;
  std::vector<WordTopicCounts> counts_;  // of each thread; afterwards the first holds their sum
  std::vector<DocumentSweep> sweeps_;    // of each thread
};

}  // namespace quasar
