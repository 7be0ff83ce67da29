// Gibbs sampling (Geman and Geman 1984) of a target that draws its own blocks: one step draws each of them once, given
// all others. Between steps the chain draws what is left (core/gibbs.hpp), so that every coordinate has its turn.
//
// Temperature 0 takes the mean of each conditional law instead. For normal laws that is the maximum over the block:
// coordinate ascent, which for a factorization is alternating least squares.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>
#include <quasar/row_sweep.hpp>

namespace quasar {

class RowGibbs {
 public:
  struct Params {
    SweepSettings sweep;
    static void fields(auto&, auto&&) {}
  };
  struct State {  // a sweep needs nothing but x
    static void fields(auto&, auto&&) {}
  };
  struct Info : StepInfo {
    static void fields(auto& self, auto&& visit) {
      visit("gradient_evaluations", self.grad_evals);
      visit("data_passes", self.data_passes);
    }
  };
  static constexpr bool counts_its_start = true;  // nothing is evaluated there

  RowGibbs(RowSweep& target, Params params) : target_(&target), params_(params) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }

  State init(const Vec&, const Rng&) const { return {}; }
  void rebase(const Vec&, State&) const {}  // nothing is cached

  Info step(Vec& x, State&, const Rng& rng) const {
    target_->sweep(x, params_.sweep, rng.child("sweep"));
    Info info;
    info.data_passes = 1;
    return info;
  }

 private:
  RowSweep* target_;
  Params params_;
};

}  // namespace quasar
