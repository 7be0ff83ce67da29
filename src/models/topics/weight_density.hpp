// The laws of the weights r_k of topics, with what the weights are made of: numbers theta_i > 0 and their density
//
//   gamma-gp   r_k = E_k exp(-T_k),  E_k ~ Exp(c),  T_k ~ (1/R) sum_{d <= R} Gamma(d, alpha):  R rounds of a gamma
//              process (Roychowdhury and Kulis 2015), the rounds d_k summed out,
//              K ~ Poisson(R gamma),  alpha, gamma, c ~ Gamma                         theta = (E, T, alpha, gamma, c)
//   gamma-nb   r_k ~ Gamma(g0/K, rate c0),  g0 ~ Gamma(e0, rate f0)                   theta = (r, g0)
//              (Zhou and Carin 2015)
//
// Slopes are theta_i d/dtheta_i: with 1 added those of log theta (the Jacobian), divided by theta_i those of theta.
#pragma once

#include <memory>

#include <quasar/core.hpp>

#include "models/topics/gamma_nb.hpp"
#include "models/topics/gamma_process_prior.hpp"

namespace quasar {

struct PositivePoint {  // both, since theta may be too small for a double
  Vec theta, log_theta;
  explicit PositivePoint(Index dim) : theta(dim), log_theta(dim) {}
};

struct WeightsAt {
  Vec r, log_r;
  explicit WeightsAt(Index topics) : r(topics), log_r(topics) {}
};

struct WeightDensity {
  virtual ~WeightDensity() = default;
  virtual Layout layout() const = 0;  // of theta
  virtual void start(Out theta) const = 0;
  // The curvature of -log p(theta | documents) in log theta_i at the start, about, where sum_j -log(1 - p_j) =
  // exposure.
  virtual void start_curvature(double exposure, Out curvature) const = 0;
  virtual double log_density(const PositivePoint& at, Out slope) const = 0;  // of theta, up to a constant
  virtual void weights(const PositivePoint& at, WeightsAt& out) const = 0;
  virtual void pull_back(const PositivePoint& at, In weight_slope, Out slope) const = 0;  // from r_k d/dr_k
};

std::unique_ptr<const WeightDensity> gamma_process_density(Index topics, const GammaProcessHyperpriors& prior);
std::unique_ptr<const WeightDensity> gamma_nb_density(Index topics, const GammaNbPrior& prior);

}  // namespace quasar
