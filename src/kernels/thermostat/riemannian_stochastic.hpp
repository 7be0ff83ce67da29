// What the kernels with implicit steps on estimated gradients share. There is no Metropolis test to reject a step that
// cannot be made: it is made as two of half the size, and where that fails too the chain stays and turns round.
#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/implicit_solver.hpp"
#include "kernels/locate.hpp"
#include "kernels/thermostat/failed_steps.hpp"
#include "kernels/thermostat/stochastic_trajectory.hpp"

namespace quasar {

struct RiemannianStochasticParams : StochasticTrajectoryParams {
  ImplicitSettings solver = {.check_reversal = false};
};

// F: the integrator.
template <class F>
struct RiemannianStochasticState : StochasticState {
  FailedSteps failed;
  // scratch
  F flow;
  typename F::Point z, before;  // the moving point, and where its step began

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("failed", self.failed);
  }
};

struct RiemannianStochasticInfo : StochasticInfo {
  double thermostat = 0;  // at the end: the friction that it exerts
  std::int64_t too_long = 0;
  static void fields(auto& self, auto&& visit) {
    StochasticInfo::fields(self, visit);
    visit("thermostat", self.thermostat);
    visit("steps_too_long", self.too_long);
  }
};

// P, S: derived from the structs above. The metric belongs to the whole of x, so the kernel moves all of it.
template <class P, class S>
class RiemannianStochastic : public Stochastic<P, S> {
 public:
  using Params = P;
  using State = S;
  using Info = RiemannianStochasticInfo;

  RiemannianStochastic(Target& target, std::shared_ptr<Geometry> geometry, EstimatorSettings estimator, Params params)
      : Stochastic<P, S>(target, {0, target.dim()}, std::move(estimator), std::move(params)),
        geometry_(std::move(geometry)) {}

 protected:
  using Point = decltype(State::z);

  void start(const Vec& x, State& s, const Rng& rng) const {
    Stochastic<P, S>::start(x, s, rng);
    s.z = s.before = Point(x.size(), geometry_->diagonal());
  }

  // U and its gradient where s.z is, on the batch that is held. False: the density is 0 there.
  bool evaluate(State& s) const {
    const Eval at = this->estimator_.gradient(s.estimate, s.z.x, s.z.g);
    if (!at.ok) return false;
    this->check(s, at, s.z.g);
    s.z.u = -at.logp;
    s.z.g = -s.z.g;
    return true;
  }

  void move(State& s) const {
    s.before = s.z;
    if (take(s.step_size, s)) return;
    s.z = s.before;
    if (take(s.step_size / 2, s) && take(s.step_size / 2, s)) return;
    s.z = s.before;
    s.z.turn();
    ++s.failed.count;
  }

  Info report_all(State& s, double thermostat, std::int64_t metric_gradients) const {
    if (!std::isfinite(thermostat)) throw_diverged(s.step_size, s.gradient_norm);
    Info info;
    info.thermostat = thermostat;
    info.too_long = s.failed.close(this->params_.leapfrog_steps, s.step_size);
    info = this->report(s, info);
    info.grad_evals += metric_gradients;
    return info;
  }

  std::shared_ptr<Geometry> geometry_;

 private:
  bool take(double size, State& s) const {
    if (s.flow.depart(size / 2, s.z) != StepFailure::none) return false;
    if (this->params_.batch != Params::per_trajectory) this->estimator_.draw_batch(s.estimate, s.z.x);
    return evaluate(s) && s.flow.arrive(size / 2, s.z) == StepFailure::none;
  }
};

}  // namespace quasar
