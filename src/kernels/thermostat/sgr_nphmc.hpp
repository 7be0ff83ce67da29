// Riemannian Nose-Poincare dynamics on estimated gradients and energies, without a Metropolis test (Roychowdhury, Kulis
// and Parthasarathy 2016, misprints put right): p ~ N(0, T G), q ~ N(0, T Q_G), s = 1 and H0 such that h = 0 on the
// first batch; then L steps with frictions B on p and A on q.
//
// Its law is not the posterior: friction with matching noise would keep exp(-H), whose marginal is another; friction
// alone is right only where B G^-1 equals the noise of the gradient; and the noise of the energy goes into q.
#pragma once

#include "integrators/riemannian_nose_poincare.hpp"
#include "kernels/thermostat/riemannian_stochastic.hpp"

namespace quasar {

struct SgrNphmcParams : RiemannianStochasticParams {
  RiemannianThermostat thermostat = {};
};

using SgrNphmcState = RiemannianStochasticState<RiemannianNosePoincare>;

class SgrNphmc : public RiemannianStochastic<SgrNphmcParams, SgrNphmcState> {
 public:
  SgrNphmc(Target& target, std::shared_ptr<Geometry> geometry, EstimatorSettings estimator, Params params);

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  void begin(const Vec& x, State& s, const Rng& rng) const;
  void fresh_potential(State& s) const;  // and the slope with it
};

}  // namespace quasar
