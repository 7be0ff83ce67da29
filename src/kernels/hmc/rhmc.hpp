// Riemannian manifold Hamiltonian Monte Carlo (Girolami and Calderhead 2011).
//
// p ~ N(0, G(x)); L generalised leapfrog steps of size e; accept with probability min(1, exp(E0 - E1)),
// E = U + p'G^-1 p/2 + log|G|/2. The metric follows the local curvature, so one step size fits everywhere.
#pragma once

#include "integrators/generalized_leapfrog.hpp"
#include "kernels/hmc/implicit_trajectory.hpp"

namespace quasar {

class Rhmc : public ImplicitTrajectory<Rhmc, ImplicitTrajectoryParams, GeneralizedLeapfrog> {
  using Base = ImplicitTrajectory<Rhmc, ImplicitTrajectoryParams, GeneralizedLeapfrog>;
  friend Base;

 public:
  using Base::Base;

 private:
  GeneralizedLeapfrog flow() const { return {*target_, *geometry_, params_.solver}; }
  static void begin(State& s, const Rng& rng) {
    Stream noise = rng.stream("momentum");
    GeneralizedLeapfrog::refresh(noise, s.z);
  }
  static double energy(const State& s) { return s.flow.energy(s.z); }
};

}  // namespace quasar
