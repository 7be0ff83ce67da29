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
#include "kernels/step_stats.hpp"

namespace quasar {

struct RhmcParams {
  double step_size = 0.1;
  std::int64_t leapfrog_steps = 0;  // 0: as many as integration_time takes
  double integration_time = 1.5707963267948966;
  double jitter = 0.1;
  ImplicitSettings solver = {};
  static constexpr std::int64_t max_steps = 1024;

  std::int64_t steps() const;
  static void fields(auto& self, auto&& visit) { visit("step_size", self.step_size); }
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

  struct Info : StepInfo {
    double lp = 0, energy = 0, energy_error = 0, int_time = 0, step_size_nom = 0;
    std::int64_t n_steps = 0, solver_iterations = 0, solver_failure = 0;
    bool solver_failed = false;
    static void fields(auto& self, auto&& visit) {
      visit("lp", self.lp);
      visit_step_stats(self, visit);
      visit("diverging", self.diverged);
      visit("energy", self.energy);
      visit("energy_error", self.energy_error);
      visit("int_time", self.int_time);
      visit("step_size_nom", self.step_size_nom);
      visit("n_steps", self.n_steps);
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
