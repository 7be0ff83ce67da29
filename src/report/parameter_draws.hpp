// What the pictures of a parameter are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <quasar/core.hpp>

namespace quasar::report {

struct PictureSize {
  Index parameters, chains, draws;  // draws: of each chain

  // How many entries each chain of each parameter may have, for all of them together to stay within `budget`.
  Index share_of(Index budget, Index least, Index most) const {
    return std::clamp(budget / std::max<Index>(1, parameters * chains), least, most);
  }
};

class ParameterDraws {
 public:
  void take(const Mat& draws) {  // which must stay where they are
    constexpr double infinity = std::numeric_limits<double>::infinity();
    draws_ = &draws;
    sorted_.clear();
    for (const double value : draws.reshaped()) {
      if (!std::isnan(value)) sorted_.push_back(value);
    }
    std::sort(sorted_.begin(), sorted_.end());
    finite_ = {std::upper_bound(sorted_.begin(), sorted_.end(), -infinity),
               std::lower_bound(sorted_.begin(), sorted_.end(), infinity)};
  }

  const Mat& by_chain() const { return *draws_; }             // draws x chains
  std::span<const double> sorted() const { return sorted_; }  // of all chains, but for NaN
  std::span<const double> finite() const { return finite_; }  // these, but for infinite ones

 private:
  const Mat* draws_ = nullptr;
  std::vector<double> sorted_;
  std::span<const double> finite_;
};

}  // namespace quasar::report
