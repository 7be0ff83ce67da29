// Counts with a mean that may be larger than any count a computer holds.
#pragma once

#include <cmath>

#include <quasar/rng.hpp>

namespace quasar {

// Poisson. Beyond 1e15, where neighbouring whole numbers begin to have no representation, normal with the same moments.
inline double draw_count(double mean, Stream& stream) {
  if (mean <= 1e15) return static_cast<double>(stream.poisson(mean));
  return mean * (1 + stream.normal() / std::sqrt(mean));
}

}  // namespace quasar
