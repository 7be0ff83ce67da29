// The power of h with which an error falls.
#pragma once

#include <functional>

namespace quasar {

inline constexpr double clear_of_rounding = 1000;  // so many times as large

struct ErrorAt {
  double error, rounding;  // rounding: about how much of the error the finite precision may cause
};

// A wrong term of lower order outweighs the others when h is small. So the slope of log error against log h is taken
// over the two decades of smallest steps, from `longest_step` down, whose error stands clear of rounding. NaN: fewer
// than three steps do.
double log_log_slope(double longest_step, const std::function<ErrorAt(double h)>& error_at);

}  // namespace quasar
