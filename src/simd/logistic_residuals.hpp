// simd/logistic_residuals.hpp -- the slopes of a logistic likelihood, many at once.
#pragma once

#include <cstddef>

namespace quasar::simd {

// slope[i] = weight (y[i] - 1 / (1 + exp(-z[i]))) and e[i] = exp(-|z[i]|), within a few units in the last place, NaN
// where z[i] is. Instruction sets that fuse products and sums round differently from those that do not.
void logistic_residuals(const double* z, const double* y, double weight, double* slope, double* e, std::size_t count);

}  // namespace quasar::simd
