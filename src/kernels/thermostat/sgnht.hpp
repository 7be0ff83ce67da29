// The stochastic gradient Nose-Hoover thermostat (Ding et al. 2014) with a mass M: the friction xi adapts
// itself to the unknown noise of the gradient.
//
//   p <- p - e F + e grad log pi~(x) + noise,   x <- x + e M^-1 p,   xi <- xi + e K
//
//   a         F = xi p        noise N(0, 2 A e M)   K = p'M^-1 p / D - 1            right for V proportional to M
//   b         F = xi M^-1 p   noise N(0, 2 A e)     K = (p'M^-2 p - tr M^-1) / D    right for V proportional to I
//   printed   F = xi M^-1 p   noise N(0, 2 A e)     K = p'M^-1 p / D - 1            wrong unless M is a multiple of I
//
// One number xi cannot take up noise of another shape than that.
#pragma once

#include "kernels/stochastic.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct SgnhtParams : StochasticParams {
  enum Variant { a, b, printed };
  Variant variant = a;
  double friction = 1;      // A, also where xi starts
  MassMatrix mass;          // empty: the identity; b needs a diagonal one
  std::int64_t steps = 1;   // an iteration
  bool hold_batch = false;  // one batch an iteration, not one a step

  static void fields(auto& self, auto&& visit) {
    StochasticParams::fields(self, visit);
    visit("friction", self.friction);
    visit("mass", self.mass);
  }
};

struct SgnhtState : StochasticState {
  Vec p;
  double xi = 1;
  // scratch
  Vec noise, velocity;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("p", self.p);
    visit("xi", self.xi);
  }
};

class Sgnht : public Stochastic<SgnhtParams, SgnhtState> {
 public:
  struct Info : StochasticInfo {
    double xi = 0;
    static void fields(auto& self, auto&& visit) {
      StochasticInfo::fields(self, visit);
      visit("thermostat", self.xi);
    }
  };
  Sgnht(Target& target, Block block, EstimatorSettings estimator, Params params);

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  void move_momentum(State& s, Stream& normals) const;
  double excess(const State& s) const;  // K
};

}  // namespace quasar
