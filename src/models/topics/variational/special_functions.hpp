// Functions of Gamma at one positive number; simd/gamma_functions.hpp has them for many.
#pragma once

namespace quasar {

double digamma(double x);
double trigamma(double x);
double log_gamma(double x);

}  // namespace quasar
