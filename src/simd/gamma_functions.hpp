// simd/gamma_functions.hpp -- functions of Gamma for many numbers at once, all of them positive and finite.
#pragma once

#include <cstddef>

namespace quasar::simd {

// Errors below 1e-14 (1 + |result|). `out` may be `x`.
void digamma(const double* x, double* out, std::size_t count);
void log_gamma(const double* x, double* out, std::size_t count);

// exp(digamma(x) + shift). digamma(x) is about -1 / x for small x, which the shift can take back. Relative error below
// 1e-13, or below 1e-16 / x where that is more.
void exp_digamma(const double* x, double shift, double* out, std::size_t count);

void natural_log(const double* x, double* out, std::size_t count);

}  // namespace quasar::simd
