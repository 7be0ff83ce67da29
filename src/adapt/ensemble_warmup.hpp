// Warm-up of an ensemble with one step size: dual averaging over all members, shorter steps for those that are stuck.
//
// The step size suits members that have arrived where the mass is. One that has not, far out where the gradient is a
// thousand times as long, would be rejected for ever. After a few rejections in a row its own steps are shortened until
// one is accepted, and lengthened again as it comes in; until then it has no say in the common step size.
#pragma once

#include <algorithm>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "adapt/warmup.hpp"

namespace quasar {

class EnsembleWarmup {
 public:
  EnsembleWarmup(double target_accept, bool fixed, Index members)
      : fixed_(fixed),
        step_size_(target_accept, fixed),
        factors_(Vec::Ones(members)),
        rejections_(Vec::Zero(members)) {}

  template <class K>
  std::int64_t begin(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    const std::int64_t spent = step_size_.begin(kernel, x, s, rng);
    common_ = kernel.params().step_size;
    return spent;
  }

  template <class K>
  std::int64_t update(K& kernel, const Vec& x, typename K::State& s, const typename K::Info& info, const Rng& rng) {
    if (fixed_) return 0;
    const Index members = factors_.size(), moved = (s.turn + members - 1) % members;
    if (factors_[moved] == 1) {
      step_size_.update(kernel, x, s, info, rng);
      common_ = kernel.params().step_size;
    }
    adjust(moved, info.accept_prob);
    kernel.params().step_size = common_ * factors_[s.turn];  // of the member that is next
    return 0;
  }

  template <class K>
  void finish(K& kernel, const Vec& x, typename K::State& s) {
    step_size_.finish(kernel, x, s);
  }

  static void fields(auto& self, auto&& visit) {
    visit("step_size", self.step_size_);
    visit("common", self.common_);
    visit("factors", self.factors_);
    visit("rejections", self.rejections_);
  }

 private:
  // A member at home is hardly ever rejected so often in a row.
  void adjust(Index member, double accept_prob) {
    constexpr double stuck = 0.01, patience = 5, shorter = 0.25, longer = 2;
    const bool rejected = !(accept_prob > stuck);
    rejections_[member] = rejected ? rejections_[member] + 1 : 0;
    if (rejected && rejections_[member] >= patience) factors_[member] *= shorter;
    if (!rejected) factors_[member] = std::min(1.0, longer * factors_[member]);
  }

  bool fixed_;
  StepSizeWarmup step_size_;
  double common_ = 1;
  Vec factors_;     // of the common step size, by member
  Vec rejections_;  // in a row, by member
};

}  // namespace quasar
