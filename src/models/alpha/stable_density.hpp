// The density of isotropic stable numbers in the complex plane, which has no closed form but for two alphas.
#pragma once

#include <vector>

namespace quasar {

// g(|x|) with E exp(i Re(conj(w) x)) = exp(-|w|^alpha). As a mixture of normal laws over the positive stable variable
//
//   A = B(T) E^(-(1-a)/a),   a = alpha/2,   T uniform on (0, pi), E exponential (Kanter 1975),
//   g(r) = E [1 / (4 pi A)] exp(-r^2 / (4 A)),
//
// by the trapezoidal rule in log E and logit(T / pi), where the integrand is analytic and dies out at both ends, so
// that the error falls exponentially with the number of points. Kept as a table over log r; log g is off by less than
// 1e-6 for alpha from 0.5 to 1.999 and r from 0 to infinity (tests/exact/alpha_mf_test.cpp), by less than 1e-4 from
// there to 2: the nearer, the sharper the bend between the normal law in the middle and the tail.
class IsotropicStableDensity {
 public:
  static constexpr double least_alpha = 0.5;
  explicit IsotropicStableDensity(double alpha);  // least_alpha <= alpha <= 2
  double log_at(double r) const;                  // log g(r)

  struct Knot {
    double log_g, slope;  // by log r
  };

 private:
  double alpha_, spacing_, first_log_r_ = 0;
  std::vector<Knot> table_;  // over log r; empty: normal
};

}  // namespace quasar
