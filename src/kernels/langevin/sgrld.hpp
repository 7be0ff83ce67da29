// Stochastic gradient Riemannian Langevin dynamics (Patterson and Teh 2013) with H(x) = G(x)^-1, G the model's metric:
//
//   x <- x + e (H grad log pi~ + Gamma) + sqrt(2 e T) N(0, H),   Gamma_i = sum_j dH_ij/dx_j.
//
// Gamma has the sign + : with c Gamma instead, the law in one dimension is exp(-U) H^(c - 1). Cost O(D^3), and what the
// metric costs.
#pragma once

#include <memory>

#include "kernels/stochastic.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct SgrldState : StochasticState {
  // scratch
  MassMatrix metric;
  Vec drift, noise;
};

class Sgrld : public Stochastic<StochasticParams, SgrldState> {
 public:
  using Info = StochasticInfo;

  Sgrld(Target& target, std::shared_ptr<Geometry> geometry, EstimatorSettings estimator, Params params)
      : Stochastic(target, {0, target.dim()}, std::move(estimator), params), geometry_(std::move(geometry)) {}

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  std::shared_ptr<Geometry> geometry_;
};

}  // namespace quasar
