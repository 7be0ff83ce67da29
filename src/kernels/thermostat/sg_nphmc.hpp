// Nose-Poincare dynamics on estimated gradients and energies, without a Metropolis test: p ~ N(0, T M), q ~ N(0, T Q),
// s = 1 and H0 such that h = 0 on the first batch; then L steps with frictions B on p and A on q.
//
// The published sampler, misprints put right. Its law is not the posterior: friction B/sqrt(s) with matching noise
// would keep exp(-H), whose marginal is another; and friction alone is right only where B equals the noise of the
// gradient, e V/2 with one batch a step and e V/4 with one a half kick. `inject` adds what is missing to that,
// N(0, 2 e s^2 (T B - e V/2)), which leaves a small error. The noise of the energy estimate goes into q.
#pragma once

#include <Eigen/Cholesky>

#include "integrators/nose_poincare.hpp"
#include "kernels/believed_noise.hpp"
#include "kernels/thermostat/failed_steps.hpp"
#include "kernels/thermostat/stochastic_trajectory.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct SgNphmcParams : StochasticTrajectoryParams {
  MassMatrix mass;                    // M; of no dimension: the identity
  double thermostat_mass = 1;         // Q
  double friction = 0.01;             // B
  double thermostat_friction = 0.01;  // A
  bool inject = false;
  BelievedNoise noise;  // V, where noise is injected
};

struct SgNphmcState : StochasticState {
  Vec p;         // the real momentum at the end of the last iteration
  double q = 0;  // as is q
  FailedSteps failed;
  // scratch
  PhasePoint z, start_z;  // the moving point, and where its step began
  Thermostat bath, start_bath;
  NosePoincare dynamics;
  Vec noise, variance;
  Eigen::LLT<Mat> damped_mass{Mat()};  // of a dense mass

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("p", self.p);
    visit("q", self.q);
    visit("failed", self.failed);
  }
};

class SgNphmc : public Stochastic<SgNphmcParams, SgNphmcState> {
 public:
  struct Info : StochasticInfo {
    double log_s = 0, thermostat = 0;  // at the end: log s and q/Q
    std::int64_t too_long = 0;
    static void fields(auto& self, auto&& visit) {
      StochasticInfo::fields(self, visit);
      visit("log_s", self.log_s);
      visit("thermostat", self.thermostat);
      visit("steps_too_long", self.too_long);
    }
  };
  SgNphmc(Target& target, Block block, EstimatorSettings estimator, Params params);

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  struct Forces;

  void begin(const Vec& x, State& s, const Rng& rng) const;
  void evaluate(State& s) const;  // on the batch that is held
  void move(State& s) const;
  bool try_steps(int count, double size, State& s) const;  // false: back at the start
  void inject(Stream& normals, State& s) const;
};

}  // namespace quasar
