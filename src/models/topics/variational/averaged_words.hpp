// The words of the topics as minibatches teach them: a running average S_vk of what the documents would have if all
// were like the last ones, and b = beta + S. Only words that a batch has are touched; that the others fade is a common
// factor.
#pragma once

#include <cstdint>
#include <span>

#include <quasar/fields.hpp>

#include "models/topics/variational/topic_dirichlets.hpp"

namespace quasar {

class AveragedWords {
 public:
  AveragedWords(const Mat& shapes, double prior);  // S = b - beta

  // S <- (1 - rate) S + rate times `scale` Y_v, for the words that stand in Y's columns
  void learn(std::span<const std::uint32_t> words, const Allocations& allocations, double rate, double scale);

  Mat shapes(std::span<const std::uint32_t> words) const;  // b of these words
  Mat shapes() const;                                      // b of all
  Vec totals() const;                                      // sum_v b_vk
  Vec tokens() const { return tokens_; }                   // sum_v S_vk
  Index topics() const { return sums_.rows(); }
  Index words() const { return sums_.cols(); }
  double prior() const { return prior_; }

  static void fields(auto& self, auto&& visit) {
    visit("sums", self.sums_);
    visit("tokens", self.tokens_);
    visit("factor", self.factor_);
  }

 private:
  double prior_;
  Mat sums_;  // S / factor
  Vec tokens_;
  double factor_ = 1;
};

}  // namespace quasar
