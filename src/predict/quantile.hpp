// Quantiles of numbers in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace quasar {

// Between order statistics by a straight line: Hyndman and Fan (1996), type 7.
inline double quantile_of(std::span<const double> sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  if (part == 0 || sorted[below] == sorted[above]) return sorted[below];  // also between two that are infinite
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace quasar
