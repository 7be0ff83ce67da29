// What the kernels on estimated gradients share: an estimator, a schedule of step sizes, and no Metropolis test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "estimators/gradient_estimator.hpp"
#include "kernels/step_schedule.hpp"

namespace quasar {

struct StochasticParams {
  StepSchedule step;
  double temperature = 1;  // of the noise: 0 turns the sampler into the optimiser it is made of
  static void fields(auto& self, auto&& visit) { visit("step", self.step); }
};

struct StochasticState {
  std::int64_t t = 0;          // steps taken
  std::int64_t gradients = 0;  // seen so far
  double early_norm = 0;       // the longest of the first gradients
  std::int64_t runaway = 0;    // gradients in a row that were out of all proportion to it
  GradientEstimator::State estimate;
  // scratch
  Vec grad;                                 // of log pi, estimated
  double step_size = 0, gradient_norm = 0;  // of this step

  static void fields(auto& self, auto&& visit) {
    visit("t", self.t);
    visit("gradients", self.gradients);
    visit("early_norm", self.early_norm);
    visit("runaway", self.runaway);
    visit("estimate", self.estimate);
  }
};

struct StochasticInfo : StepInfo {
  double gradient_norm = 0;
  static void fields(auto& self, auto&& visit) {
    visit("step_size", self.step_size);
    visit("weight", self.step_size);  // of this draw in averages, where the step size changes
    visit("gradient_norm", self.gradient_norm);
    visit("gradient_evaluations", self.grad_evals);
    visit("data_passes", self.data_passes);
  }
};

// A chain has run away when its gradients are longer than the first ten by this factor, several times in a row: once
// may be a visit to the edge of a domain, and a single gradient at a mode is no measure.
inline constexpr std::int64_t early_gradients = 10;
inline constexpr double runaway_factor = 1e6;
inline constexpr std::int64_t runaway_gradients = 5;

[[noreturn]] void throw_diverged(double step_size, double gradient_norm);  // Diverged, with what to try

// Reflects a block of x at the ends of its intervals, as often as needed; the momentum of a coordinate (of the block
// alone) turns round with every reflection, as at an elastic wall.
void mirror_into(std::span<const Interval> support, Block block, Vec& x, Vec* momentum = nullptr);

// P: Params derived from StochasticParams. S: State derived from StochasticState.
template <class P, class S>
class Stochastic {
 public:
  using Params = P;
  using State = S;
  static constexpr bool counts_its_start = true;  // the estimator counts whatever init evaluates

  Stochastic(Target& target, Block block, EstimatorSettings estimator, Params params)
      : target_(&target), block_(block), estimator_(target, std::move(estimator)), params_(std::move(params)) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }
  void rebase(const Vec&, State&) const {}  // nothing that depends on x is cached

 protected:
  void start(const Vec& x, State& s, const Rng& rng) const {
    s.estimate = estimator_.init(x, rng);
    s.grad.resize(x.size());
  }

  void next_step_size(State& s) const { s.step_size = params_.step.at(++s.t); }

  // s.grad at x, on a fresh batch.
  void fresh_gradient(const Vec& x, State& s) const {
    estimator_.draw_batch(s.estimate, x);
    gradient(x, s, s.grad);
  }

  void gradient(const Vec& x, State& s, Vec& grad) const { check(s, estimator_.gradient(s.estimate, x, grad), grad); }

  void check(State& s, const Eval& at, const Vec& grad) const { check(s, at.ok, own(grad).norm()); }

  void check(State& s, bool ok, double gradient_norm) const {
    s.gradient_norm = gradient_norm;
    if (s.gradients++ < early_gradients) s.early_norm = std::max(s.early_norm, s.gradient_norm);
    s.runaway = s.gradient_norm > runaway_factor * s.early_norm ? s.runaway + 1 : 0;
    const bool lost = !ok || !std::isfinite(s.gradient_norm) || s.runaway == runaway_gradients;
    if (lost) throw_diverged(s.step_size, s.gradient_norm);
  }

  void into_support(Vec& x) const { mirror_into(target_->support(), block_, x); }
  void into_support(Vec& x, Vec& momentum) const { mirror_into(target_->support(), block_, x, &momentum); }

  template <class Info>
  Info report(State& s, Info info = {}) const {
    const GradientEstimator::Spent spent = std::exchange(s.estimate.spent, {});
    info.step_size = s.step_size;
    info.gradient_norm = s.gradient_norm;
    info.grad_evals = spent.gradients;
    info.data_passes = estimator_.passes(spent);
    return info;
  }

  auto own(Vec& v) const { return v.segment(block_.begin, block_.size); }
  auto own(const Vec& v) const { return v.segment(block_.begin, block_.size); }

  Target* target_;
  Block block_;
  GradientEstimator estimator_;
  Params params_;
};

}  // namespace quasar
