// core/saddle_point.hpp -- logarithms of Poisson and binomial probabilities, accurate where the plain formulas cancel.
//
// Loader (2000), Fast and accurate computation of binomial probabilities: Stirling's formula is taken out of the
// factorials by hand, and what remains are small deviances. The results are exact up to rounding for means up to 1e18,
// where k log(mean) - mean - log k! would have lost all digits.
#pragma once

#include <cmath>
#include <numbers>

namespace quasar {

// k log(k / mean) + mean - k >= 0. With v = (k - mean) / (k + mean), log(k / mean) = 2 atanh v, hence
// v (k - mean) + 2 k (v^3 / 3 + v^5 / 5 + ...).
inline double deviance(double k, double mean) {
  const double v = (k - mean) / (k + mean);
  if (std::abs(v) > 0.1) return k * std::log(k / mean) + mean - k;
  double power = v, tail = 0;
  for (int j = 3; j <= 17; j += 2) {
    power *= v * v;
    tail += power / j;
  }
  return v * (k - mean) + 2 * k * tail;
}

// log k! - (k log k - k + log(2 pi k) / 2) for k >= 1: Stirling's series, and the factorial itself while
// the series is too short.
inline double stirling_error(double k) {
  if (k < 16) {
    double factorial = 1;
    for (int i = 2; i <= k; ++i) factorial *= i;
    return std::log(factorial) - (k * std::log(k) - k + std::log(2 * std::numbers::pi * k) / 2);
  }
  const double r = 1 / (k * k);
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / k;
}

// mean > 0
inline double log_poisson(double k, double mean) {
  if (k == 0) return -mean;
  return -deviance(k, mean) - stirling_error(k) - std::log(2 * std::numbers::pi * k) / 2;
}

// 0 < p < 1
inline double log_binomial(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) + std::log(n / (2 * std::numbers::pi * k * (n - k))) / 2;
}

}  // namespace quasar
