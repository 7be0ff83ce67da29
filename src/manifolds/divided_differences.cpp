#include "manifolds/divided_differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace quasar {
namespace {

double exp_difference_of_two(double a, double b) {
  return a == b ? std::exp(a) : std::exp(a) * std::expm1(b - a) / (b - a);
}

// e^m sum_k h_k(a - m, b - m, c - m) / (k + 2)!, h_k the sum of all products of k of the three numbers; m = b.
double exp_difference_by_series(double a, double b, double c) {
  const double x = a - b, y = c - b;
  double power_of_x = 1, h = 1, factorial = 2, sum = 0.5;
  for (int k = 1; k <= 20; ++k) {  // |x|, |y| <= 1: the terms are below 1 / k!
    power_of_x *= x;
    h = h * y + power_of_x;
    factorial *= k + 2;
    sum += h / factorial;
  }
  return std::exp(b) * sum;
}

}  // namespace

double log_difference(double a, double b) {
  if (a == b) return 1 / a;
  const double small = std::min(a, b), gap = std::max(a, b) - small;
  return std::log1p(gap / small) / gap;
}

double exp_difference(double a, double b, double c) {
  std::array<double, 3> sorted{a, b, c};
  std::sort(sorted.begin(), sorted.end());
  const auto [low, middle, high] = sorted;
  if (high - low < 1) return exp_difference_by_series(low, middle, high);
  return (exp_difference_of_two(middle, high) - exp_difference_of_two(low, middle)) / (high - low);
}

}  // namespace quasar
