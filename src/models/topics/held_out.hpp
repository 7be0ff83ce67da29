// How well topics tell words that they have not seen: some tokens of each document are kept back, the others show which
// topics it has, and those give the probabilities of what was kept back (document completion; Wallach et al. 2009).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

#include "models/topics/topic_method.hpp"

namespace quasar {

struct TokenSplit {
  Corpus seen, held_out;  // the same documents
};

// Of new documents, unless a user says otherwise: the same for whoever judges topics, or their scores would not
// compare.
inline constexpr double usual_share_held_out = 0.2;

// Every token by itself is kept back with probability `share`.
TokenSplit split_tokens(const Corpus& corpus, double share, const Rng& rng);

struct FoldIn {  // sweeps over the tokens of a new document, given phi and the weights
  Index discarded = 20, kept = 20;
  int threads = 1;
};

// The topics' shares in each document, which sum to 1: a column for each. Means over the kept sweeps of
// (r_k + x_k) / sum_l (r_l + x_l). A document without tokens has r_k / sum_l r_l.
Mat infer_shares(const Corpus& documents, const TopicDraw& topics, const FoldIn& settings, const Rng& rng);

struct HeldOutScore {
  double log_likelihood = 0;  // of all tokens that were kept back, and that count
  std::int64_t tokens = 0;    // those in documents of which some were seen
  double per_token() const;   // NaN: no tokens
  double perplexity() const;  // exp(-per_token())
};

// Averages, over any number of draws of topics, the probabilities of held-out tokens: m_vj = mean_s sum_k phi_vk
// share_jk.
class HeldOutPredictions {
 public:
  explicit HeldOutPredictions(TokenSplit split);
  explicit HeldOutPredictions(std::shared_ptr<const TokenSplit> split);

  const TokenSplit& split() const { return *split_; }
  void add(const TopicDraw& topics, const FoldIn& settings, const Rng& rng);  // new documents, folded in
  void add(const Eigen::MatrixXf& phi, const Mat& shares);                    // documents whose shares are known
  HeldOutScore score() const;                                                 // of the mean of all that was added

  static void fields(auto& self, auto&& visit) {
    visit("sum", self.sum_);
    visit("draws", self.draws_);
  }

 private:
  std::shared_ptr<const TokenSplit> split_;
  Vec sum_;  // of the probabilities of each held-out word of each document
  Index draws_ = 0;
};

// One topic: the words' shares in documents that were fitted, each counted once more than it occurs.
HeldOutScore unigram_score(std::span<const std::int64_t> word_counts, const TokenSplit& split);
HeldOutScore unigram_score(const Corpus& fitted, const TokenSplit& split);

}  // namespace quasar
