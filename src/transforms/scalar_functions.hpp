// The logistic function and its relatives, without overflow for any finite argument.
#pragma once

#include <cmath>

namespace quasar {

inline double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }  // log(1 + e^x)

inline double sigmoid(double x) {  // 1 / (1 + e^-x)
  const double e = std::exp(-std::fabs(x));
  return (x >= 0 ? 1.0 : e) / (1 + e);
}

inline double log_sigmoid(double x) { return -softplus(-x); }

inline double sech(double x) {  // 1 / cosh x
  const double e = std::exp(-std::fabs(x));
  return 2 * e / (1 + e * e);
}

inline double log_sech(double x) { return std::log(2.0) - std::fabs(x) - std::log1p(std::exp(-2 * std::fabs(x))); }

}  // namespace quasar
