#include "report/densities.hpp"

#include "diagnostics/ranks.hpp"
#include "report/base64.hpp"

namespace quasar::report {
namespace {

using Sorted = std::span<const double>;

constexpr Index points_budget = 4'000'000, least_density_points = 48, most_density_points = 128;

double sd_of(Sorted values) {
  const Eigen::Map<const Vec> x(values.data(), std::ssize(values));
  return std::sqrt((x.array() - x.mean()).square().sum() / static_cast<double>(std::max<Index>(1, x.size() - 1)));
}

// The sd of a normal law of which a quarter is as concentrated: 2 Phi^-1(5/8) sd wide.
double sd_by_shortest_quarter(Sorted values) {
  constexpr double width_of_normal = 0.6372787;
  const std::size_t quarter = values.size() / 4;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + quarter < values.size(); ++i) {
    shortest = std::min(shortest, values[i + quarter] - values[i]);
  }
  return shortest / width_of_normal;
}

// n: draws of one chain. Draws that hardly differ, or not at all, still make a hill.
double bandwidth(Sorted values, double n) {
  double scale = sd_of(values);
  if (const double quarter = sd_by_shortest_quarter(values); quarter > 0) scale = std::min(scale, quarter);
  const double least = 1e-9 * std::max(std::abs(values.front()), std::abs(values.back()));
  const double chosen = 0.9 * scale * std::pow(n, -0.2);
  return chosen > least ? chosen : std::max(0.05 * std::abs(values.front()), 0.05);
}

struct End {
  double at;
  bool bound;
};

// Few draws come within a bandwidth of the last one of a tail, many of a bound.
bool piles_up(std::ptrdiff_t near, std::size_t all) {
  constexpr double share = 0.03;
  constexpr std::ptrdiff_t fewest = 5;
  return near >= fewest && static_cast<double>(near) > share * static_cast<double>(all);
}

End low_end(Sorted values, double width) {
  using diagnostics::quantile_of_sorted;
  const double q1 = quantile_of_sorted(values, 0.01), q99 = quantile_of_sorted(values, 0.99);
  const double least = values.front(), furthest = q1 - 0.5 * (q99 - q1) - 3 * width;
  const auto near = std::upper_bound(values.begin(), values.end(), least + width) - values.begin();
  if (piles_up(near, values.size()) && values.back() > least + width) return {least, true};
  return {std::max(least - 3 * width, furthest), false};
}

// The same of the mirror image.
End high_end(const std::vector<double>& mirrored, double width) {
  const End end = low_end(mirrored, width);
  return {-end.at, end.bound};
}

struct Grid {
  End low, high;
  Index points;
  double step() const { return (high.at - low.at) / static_cast<double>(points - 1); }
};

// Each draw is shared between the two points beside it.
Vec weights_on(const Grid& grid, const Eigen::Ref<const Vec>& chain) {
  Vec weights = Vec::Zero(grid.points);
  Index finite = 0;
  for (const double value : chain) {
    if (!std::isfinite(value)) continue;
    ++finite;
    const double place = (value - grid.low.at) / grid.step();
    if (!(place >= 0 && place <= static_cast<double>(grid.points - 1))) continue;
    const Index left = std::min(static_cast<Index>(place), grid.points - 2);
    const double right_share = place - static_cast<double>(left);
    weights[left] += 1 - right_share;
    weights[left + 1] += right_share;
  }
  return weights / static_cast<double>(std::max<Index>(1, finite));
}

Vec kernel_of(double width, const Grid& grid) {
  const auto reach = static_cast<Index>(std::min(std::ceil(4 * width / grid.step()), double(grid.points - 1)));
  Vec kernel(reach + 1);
  for (Index i = 0; i <= reach; ++i) {
    const double z = static_cast<double>(i) * grid.step() / width;
    kernel[i] = std::exp(-0.5 * z * z);
  }
  const double mass = (2 * kernel.sum() - kernel[0]) * grid.step();
  return kernel / mass;
}

// Where the mirror image of a place beyond an end lies; -1: what is beyond is lost.
Index reflected(Index place, const Grid& grid) {
  const Index last = grid.points - 1;
  if (place < 0) return grid.low.bound ? -place : -1;
  if (place > last) return grid.high.bound ? 2 * last - place : -1;
  return place;
}

Vec smoothed(const Vec& weights, const Vec& kernel, const Grid& grid) {
  Vec heights = Vec::Zero(grid.points);
  for (Index from = 0; from < grid.points; ++from) {
    if (weights[from] == 0) continue;
    for (Index distance = 1 - kernel.size(); distance < kernel.size(); ++distance) {
      const Index to = reflected(from + distance, grid);
      if (to >= 0 && to < grid.points) heights[to] += weights[from] * kernel[std::abs(distance)];
    }
  }
  if (grid.low.bound) heights[0] *= 2;  // a place at a bound is its own mirror image
  if (grid.high.bound) heights[grid.points - 1] *= 2;
  return heights;
}

}  // namespace

ChainDensities densities_of(const ParameterDraws& draws, Index points) {
  const Sorted values = draws.finite();
  const Mat& chains = draws.by_chain();
  ChainDensities none{0, 1, Mat::Zero(points, chains.cols())};
  if (values.empty()) return none;
  const double width = bandwidth(values, static_cast<double>(chains.rows()));
  constexpr double too_wide = std::numeric_limits<double>::max() / 16;
  if (!(width < too_wide && values.back() - values.front() < too_wide)) return none;
  std::vector<double> mirrored(values.rbegin(), values.rend());
  for (double& value : mirrored) value = -value;
  const Grid grid{low_end(values, width), high_end(mirrored, width), points};
  const Vec kernel = kernel_of(width, grid);
  ChainDensities found{grid.low.at, grid.high.at, Mat(points, chains.cols())};
  for (Index c = 0; c < chains.cols(); ++c) {
    found.heights.col(c) = smoothed(weights_on(grid, chains.col(c)), kernel, grid);
  }
  return found;
}

Densities::Densities(const PictureSize& size)
    : points_(size.share_of(points_budget, least_density_points, most_density_points)) {
  heights_.reserve(static_cast<std::size_t>(size.parameters * size.chains * points_));
}

void Densities::add(const ParameterDraws& draws) {
  const ChainDensities found = densities_of(draws, points_);
  const double highest = found.heights.maxCoeff();
  low_.push_back(found.low);
  high_.push_back(found.high);
  for (const double height : found.heights.reshaped()) {
    heights_.push_back(highest > 0 ? static_cast<std::uint8_t>(std::round(255 * height / highest)) : 0);
  }
}

nlohmann::ordered_json Densities::json() const {
  return {{"points", points_}, {"low", low_}, {"high", high_}, {"data", base64(heights_)}};
}

}  // namespace quasar::report
