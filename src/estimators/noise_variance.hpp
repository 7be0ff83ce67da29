// V: the variance of a gradient estimate, coordinate by coordinate, learned from the two halves of every batch.
#pragma once

#include <algorithm>

#include <quasar/core.hpp>

namespace quasar {

// A running mean: of everything at first, of about the last thousand batches in the long run, since V follows x.
class NoiseVariance {
 public:
  explicit NoiseVariance(Index dim = 0) : mean_(Vec::Zero(dim)) {}

  template <class Squares>
  void add(const Squares& squares) {
    constexpr double memory = 1000;
    ++count_;
    mean_ += (squares - mean_) / std::min(static_cast<double>(count_), memory);
  }

  bool known() const { return count_ > 0; }
  const Vec& diagonal() const { return mean_; }

  static void fields(auto& self, auto&& visit) {
    visit("count", self.count_);
    visit("mean", self.mean_);
  }

 private:
  std::int64_t count_ = 0;
  Vec mean_;
};

}  // namespace quasar
