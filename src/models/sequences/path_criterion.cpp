#include "models/sequences/path_criterion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace quasar {
namespace {

constexpr double bulk = 0.95;
constexpr double least_variance = 1e-6;  // of that of the data
constexpr double longest_priced = 1e4;   // points
constexpr double rounding = 1e-9;  // of the range of a value without outliers: smaller steps are errors of rounding

std::vector<double> sorted_values(const Sequences& data, Index row) {
  std::vector<double> values;
  for (Index t = 0; t < data.size(); ++t) {
    if (!std::isnan(data.values(row, t))) values.push_back(data.values(row, t));
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Values that are written to a step h are known no better than to h^2 / 12. Without this, a state for every different
// value would be a perfect fit of rounded data.
double variance_of_rounding(const std::vector<double>& sorted) {
  const auto outliers = static_cast<std::size_t>((1 - bulk) * static_cast<double>(sorted.size()));
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap > rounding * (sorted[sorted.size() - 1 - outliers] - sorted[outliers])) step = std::min(step, gap);
  }
  return std::isfinite(step) ? step * step / 12 : 0;
}

// A hard path is not what the model is: points that it puts into the wrong state leave traces in the transitions, and
// to explain these pays in proportion to N. log N / 2 holds them off for some ten thousand points; from there on a
// number must earn as much for each point as it had to there.
double price_of_number(double points) {
  return 0.5 * std::log(std::max(1.0, points)) * std::max(1.0, points / longest_priced);
}

// Of a centre: probabilities sum to one.
Index free_values(const Sequences& data, Emission emission) {
  return emission == Emission::categorical ? data.dim() - 1 : data.dim();
}

}  // namespace

DataScale scale_of(const Sequences& data, Emission emission) {
  if (data.size() == 0) return {};
  const Vec middle = middle_of(emission, data);
  std::vector<double> far;
  for (Index t = 0; t < data.size(); ++t) far.push_back(divergence(emission, data.values.col(t), middle));
  std::sort(far.begin(), far.end());
  auto end = far.begin() + static_cast<Index>(std::ceil(bulk * static_cast<double>(far.size())));
  if (*(end - 1) <= 0) end = far.end();  // nearly all are the same
  const double values = static_cast<double>((end - far.begin()) * data.dim());
  return {std::accumulate(far.begin(), end, 0.0) / values, *(end - 1)};
}

PathCriterion::PathCriterion(const Sequences& data, Emission emission)
    : emission_(emission),
      numbers_of_state_(static_cast<double>(free_values(data, emission)) + 2),
      price_(price_of_number(static_cast<double>(data.size()))) {
  if (emission != Emission::normal) return;
  const double floor = least_variance * scale_of(data, emission).spread;
  for (Index i = 0; i < data.dim(); ++i) {
    const std::vector<double> values = sorted_values(data, i);
    values_ += static_cast<double>(values.size());
    least_squares_ += static_cast<double>(values.size()) * std::max(floor, variance_of_rounding(values));
  }
}

double PathCriterion::squares(const PathStats& stats) const {
  return std::max(least_squares_, total_divergence(emission_, stats));
}

double PathCriterion::misfit(const PathStats& stats) const {
  if (emission_ != Emission::normal) return total_divergence(emission_, stats);
  return least_squares_ > 0 ? values_ / 2 * std::log(squares(stats) / values_) : 0;  // else all values are the same
}

double PathCriterion::operator()(const PathStats& stats) const {
  const IhmmPenalties price_of_numbers{1, price_, price_ * numbers_of_state_};
  return misfit(stats) + cost_of_path(stats, price_of_numbers);
}

IhmmPenalties PathCriterion::penalties(const PathStats& stats) const {
  const double lambda = emission_ != Emission::normal || values_ == 0 ? 1 : 2 * squares(stats) / values_;
  return {lambda, lambda * price_, lambda * price_ * numbers_of_state_};
}

}  // namespace quasar
