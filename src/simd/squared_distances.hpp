// simd/squared_distances.hpp -- from every point to every centre.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct PointsAndCentres {
  std::size_t points, dim, centres;
  const double* values;  // dim numbers for each point; NaN: missing
  const double* where;   // `centres` numbers for each of the dim values
};

// out[t * stride + k] = sum over the values of point t that are not missing of (value - where it is at centre k)^2; the
// same bits with every instruction set.
void squared_distances(const PointsAndCentres& all, double* out, std::size_t stride);

}  // namespace quasar::simd
