// Riemannian manifold Hamiltonian Monte Carlo (Girolami and Calderhead 2011).
//
// p ~ N(0, G(x)); L generalised leapfrog steps of size e; accept with probability min(1, exp(E0 - E1)),
// E = U + p'G^-1 p/2 + log|G|/2. The metric follows the local curvature, so one step size fits everywhere. A step that
// cannot be solved, or whose reverse does not come back, rejects the whole trajectory and is reported. e is jittered by
// a factor uniform in 1 +- jitter.
#pragma once

#include <memory>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/generalized_leapfrog.hpp"
#include "kernels/hmc/trajectory.hpp"

namespace quasar {

struct RhmcParams : TrajectoryParams {
  ImplicitSettings solver = {};
};

// The metric belongs to the whole of x, so the kernel moves all of it.
class Rhmc {
 public:
  using Params = RhmcParams;

  // The cache depends on the target alone; G is made anew where a trajectory starts.
  struct State {
    double u = 0;  // potential at x
    Vec g;         // its gradient
    // scratch
    GeneralizedLeapfrog flow;
    RiemannianPoint z;  // the moving point
    Vec diverged_at;    // the last position before the step that diverged

    static void fields(auto& self, auto&& visit) {
      visit("u", self.u);
      visit("g", self.g);
    }
  };

  struct Info : TrajectoryInfo {
    std::int64_t solver_iterations = 0, solver_failure = 0;
    bool solver_failed = false;
    static void fields(auto& self, auto&& visit) {
      TrajectoryInfo::fields(self, visit);
      visit("solver_failed", self.solver_failed);
      visit("solver_failure", self.solver_failure);  // a StepFailure
      visit("solver_iterations", self.solver_iterations);
    }
  };

  Rhmc(Target& target, std::shared_ptr<Geometry> geometry, Params params);

  Params& params() { return params_; }
  const Params& params() const { return params_; }

  State init(const Vec& x, const Rng& rng) const;
  void rebase(const Vec& x, State& s) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

  // log of the Metropolis ratio of a single step: what the search for a first step size looks at.
  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const;

 private:
  static double start(const Vec& x, State& s, const Rng& rng);  // a fresh momentum at x; its energy
  StepFailure travel(State& s, Info& info) const;

  Target* target_;
  std::shared_ptr<Geometry> geometry_;  // of the target or around it; its scratch is as private as the target's
  Params params_;
};

}  // namespace quasar
