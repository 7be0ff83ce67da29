// What the Hamiltonian kernels share: a position with its cached potential, a block to move, a metric.
#pragma once

#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/leapfrog.hpp"

namespace quasar {

// The cache depends on the target alone, so nothing in it goes stale when an adapter changes step size or metric.
struct HamiltonianState {
  double u = 0;  // potential at x
  Vec g;         // its gradient
  // scratch
  PhasePoint z;     // the moving point
  Vec diverged_at;  // the last position before the step that diverged

  static void fields(auto& self, auto&& visit) {
    visit("u", self.u);
    visit("g", self.g);
  }
};

// P: Params with step_size and metric. S: HamiltonianState or a struct derived from it.
template <class P, class S>
class Hamiltonian {
 public:
  using Params = P;
  using State = S;

  Hamiltonian(Target& target, Block block, Params params)
      : target_(&target), block_(block), params_(std::move(params)) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }

  State init(const Vec& x, const Rng&) const {
    State s = sized(x);
    rebase(x, s);
    return s;
  }
  State sized(const Vec& x) const {  // every buffer, nothing evaluated
    State s;
    s.g.resize(x.size());
    s.diverged_at = x;
    s.z = PhasePoint(x.size(), block_.size);
    return s;
  }

  void rebase(const Vec& x, State& s) const { s.u = potential(*target_, x, s.g); }
  double potential_at(In x, Out gradient) const { return potential(*target_, x, gradient); }

  // log of the Metropolis ratio of a single leapfrog step: what the search for a first step size looks at.
  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    const double before = start(x, s, rng);
    leapfrog(*target_, params_.metric, block_, step_size, s.z);
    return before - s.z.energy();
  }

 protected:
  // Puts the moving point at x.
  static void place(const Vec& x, State& s) {
    s.z.x = x;
    s.z.g = s.g;
    s.z.u = s.u;
  }

  // The same with a fresh velocity; returns its energy.
  double start(const Vec& x, State& s, const Rng& rng) const {
    place(x, s);
    Stream noise = rng.stream("velocity");
    refresh(params_.metric, block_, noise, s.z);
    return s.z.energy();
  }

  // The moving point becomes the chain's position: the cache travels with it.
  static void accept(Vec& x, State& s) {
    x.swap(s.z.x);
    s.g.swap(s.z.g);
    s.u = s.z.u;
  }

  Target* target_;
  Block block_;
  Params params_;
};

}  // namespace quasar
