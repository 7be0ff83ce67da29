// Mean and squared deviations of vectors that come one by one and are not kept.
//
//   mean_n = mean_{n-1} + (x - mean_{n-1})/n,   S_n = S_{n-1} + (x - mean_{n-1})(x - mean_n)
//   two sets: S = S_a + S_b + (mean_b - mean_a)^2 n_a n_b/n
//
// Welford, Technometrics 4 (1962); Chan, Golub, LeVeque, Am. Statistician 37 (1983).
#pragma once

#include <cstdint>
#include <limits>

#include <quasar/core.hpp>

namespace quasar {

class RunningMoments {
 public:
  explicit RunningMoments(Index size = 0) : mean_(Vec::Zero(size)), squares_(Vec::Zero(size)) {}

  void add(In x) {
    const double weight = 1 / static_cast<double>(++count_);
    for (Index i = 0; i < mean_.size(); ++i) {
      const double before = x[i] - mean_[i];
      mean_[i] += weight * before;
      squares_[i] += before * (x[i] - mean_[i]);
    }
  }

  void merge(const RunningMoments& other) {
    const std::int64_t both = count_ + other.count_;
    if (both == 0) return;
    const double share = static_cast<double>(other.count_) / static_cast<double>(both);
    const Vec apart = other.mean_ - mean_;
    squares_ += other.squares_ + apart.cwiseAbs2() * (static_cast<double>(count_) * share);
    mean_ += share * apart;
    count_ = both;
  }

  std::int64_t count() const { return count_; }
  const Vec& mean() const { return mean_; }

  Vec variance() const {  // unbiased; NaN below two
    if (count_ < 2) return Vec::Constant(mean_.size(), std::numeric_limits<double>::quiet_NaN());
    return squares_ / static_cast<double>(count_ - 1);
  }

  static void fields(auto& self, auto&& visit) {
    visit("count", self.count_);
    visit("mean", self.mean_);
    visit("squares", self.squares_);
  }

 private:
  std::int64_t count_ = 0;
  Vec mean_, squares_;
};

}  // namespace quasar
