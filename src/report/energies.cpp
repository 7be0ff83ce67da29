#include "report/energies.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/diagnostics.hpp>

#include "diagnostics/checks.hpp"
#include "diagnostics/ranks.hpp"
#include "report/rounded.hpp"

namespace quasar::report {
namespace {

constexpr std::size_t energy_bins = 40;

void append_finite(std::vector<double>& values, const Eigen::Ref<const Vec>& more) {
  std::copy_if(more.begin(), more.end(), std::back_inserter(values), [](double x) { return std::isfinite(x); });
}

struct Range {
  double low, high;
};

// Nearly all of both: a single trajectory that fell from far away would make the rest a needle.
Range range_of(std::vector<double> marginal, const std::vector<double>& transition) {
  marginal.insert(marginal.end(), transition.begin(), transition.end());
  std::sort(marginal.begin(), marginal.end());
  return {diagnostics::quantile_of_sorted(marginal, 0.001), diagnostics::quantile_of_sorted(marginal, 0.999)};
}

std::vector<double> histogram(const std::vector<double>& values, const Range& range) {
  const double width = (range.high - range.low) / static_cast<double>(energy_bins);
  std::vector<double> heights(energy_bins, 0);
  for (const double value : values) {
    if (!(value >= range.low && value <= range.high)) continue;
    const auto bin = static_cast<std::size_t>((value - range.low) / width);
    heights[std::min(bin, energy_bins - 1)] += 1 / (width * static_cast<double>(values.size()));
  }
  for (double& height : heights) height = rounded(height);
  return heights;
}

}  // namespace

nlohmann::ordered_json energies(const Run& run) {
  const Mat energy = statistic(run, "energy");
  const bool in_a_row = run.info.schedule.thin * run.info.stored_every == 1;
  if (energy.rows() < diagnostics::kLeastDraws || !in_a_row) return nullptr;
  std::vector<double> marginal, transition, fractions;
  for (const auto& chain : energy.colwise()) {
    append_finite(marginal, chain);
    append_finite(transition, chain.tail(chain.size() - 1) - chain.head(chain.size() - 1));
    fractions.push_back(rounded(ebfmi(chain)));
  }
  if (marginal.empty() || transition.empty()) return nullptr;
  const double mean = Eigen::Map<const Vec>(marginal.data(), std::ssize(marginal)).mean();
  for (double& value : marginal) value -= mean;
  const Range range = range_of(marginal, transition);
  if (!(range.high > range.low) || !std::isfinite(range.high - range.low)) return nullptr;
  return {{"low", rounded(range.low)},
          {"high", rounded(range.high)},
          {"marginal", histogram(marginal, range)},
          {"transition", histogram(transition, range)},
          {"e_bfmi", fractions}};
}

}  // namespace quasar::report
