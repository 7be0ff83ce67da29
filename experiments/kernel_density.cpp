#include "experiments/kernel_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <quasar/diagnostics.hpp>

namespace quasar {

Series kernel_density(const std::string& name, const Vec& draws) {
  constexpr int points = 100;
  constexpr double tail = 3;  // kernels beyond the last draw
  const auto n = static_cast<double>(draws.size());
  const double quartiles = (quantile(draws, 0.75) - quantile(draws, 0.25)) / 1.34;
  const double scale = quartiles > 0 ? std::min(sd(draws), quartiles) : sd(draws);  // half of the draws may be equal
  const double width = 0.9 * scale * std::pow(n, -0.2);
  const double begin = draws.minCoeff() - tail * width, end = draws.maxCoeff() + tail * width;
  const double height = 1 / (n * width * std::sqrt(2 * std::numbers::pi));
  Series curve{.name = name, .x = {}, .y = {}};
  for (int i = 0; i <= points; ++i) {
    const double x = begin + (end - begin) * i / points;
    curve.x.push_back(x);
    curve.y.push_back(height * (-((draws.array() - x) / width).square() / 2).exp().sum());
  }
  return curve;
}

}  // namespace quasar
