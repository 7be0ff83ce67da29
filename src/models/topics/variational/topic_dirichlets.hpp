// What is known of the words of the topics: q(phi_k) = Dirichlet(b_1k, ..., b_Vk), where phi_k ~ Dirichlet(beta, ...).
#pragma once

#include <utility>

#include "models/topics/variational/allocations.hpp"

namespace quasar {

// exp(E log phi), up to factors of words, given b (topics x words) and its sums over all words of the vocabulary.
void fill_word_factors(const Mat& shapes, In totals, Allocations& allocations);

class TopicDirichlets {
 public:
  TopicDirichlets(Index topics, Index words, double prior) : prior_(prior), shapes_(topics, words) {}

  void learn(const Allocations& allocations);  // b = beta + Y
  void set_shapes(Mat shapes) { shapes_ = std::move(shapes); }
  void fill_factors(Allocations& allocations) const {
    fill_word_factors(shapes_, totals(allocations.threads()), allocations);
  }

  // sum_k [E log p(phi_k) - E log q(phi_k)] + sum_vk Y_vk E log phi_vk, given Y; its rows behind the last topic do not
  // count.
  double bound(const Mat& counts, int threads) const;

  double prior() const { return prior_; }
  const Mat& shapes() const { return shapes_; }  // topics x words
  Vec totals(int threads = 1) const;
  Eigen::MatrixXf means() const;  // E phi

  static void fields(auto& self, auto&& visit) { visit("shapes", self.shapes_); }

 private:
  double prior_;
  Mat shapes_;
};

}  // namespace quasar
