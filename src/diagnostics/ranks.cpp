#include "diagnostics/ranks.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "diagnostics/chains.hpp"

namespace quasar::diagnostics {
namespace {

constexpr Index kLeftOut = -1;  // position of the middle one of an odd number of draws

Index position_in_split(Index draw, Index chain, Index draws) {
  const Index half = draws / 2;
  if (draw < half) return 2 * chain * half + draw;
  if (draw >= draws - half) return (2 * chain + 1) * half + draw - (draws - half);
  return kLeftOut;
}

}  // namespace

NormalScores::NormalScores(Index size) : scores_(std::max<Index>(2 * size - 1, 0)) {
  const auto normal_score = [size](double rank) {
    const double probability = (rank - 0.375) / (static_cast<double>(size) + 0.25);
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability);
  };
  for (Index lower = 0, upper = scores_.size() - 1; lower <= upper; ++lower, --upper) {
    scores_[lower] = normal_score(static_cast<double>(lower + 2) / 2);
    scores_[upper] = -scores_[lower];
  }
}

double quantile_of_sorted(std::span<const double> sorted, double probability) {
  const double position = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  const double low = sorted[below];
  const double high = sorted[std::min(below + 1, sorted.size() - 1)];
  if (weight == 0 || low == high) return low;  // also keeps 0 * infinity away
  return (1 - weight) * low + weight * high;
}

std::vector<double> sorted_values(DrawsByChain draws) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(draws.size()));
  for (const auto& chain : draws.colwise()) values.insert(values.end(), chain.begin(), chain.end());
  std::sort(values.begin(), values.end());
  return values;
}

RankedDraws::RankedDraws(Index draws, Index chains)
    : scores_(2 * chains * (draws / 2)), normalized_(draws / 2, 2 * chains) {}

void RankedDraws::sort(DrawsByChain draws) {
  ascending_.clear();
  for (Index chain = 0; chain < draws.cols(); ++chain) {
    for (Index draw = 0; draw < draws.rows(); ++draw) {
      ascending_.push_back({draws(draw, chain), position_in_split(draw, chain, draws.rows())});
    }
  }
  std::sort(ascending_.begin(), ascending_.end());
  sorted_values_.clear();
  for (const Draw& draw : ascending_) sorted_values_.push_back(draw.value);
  std::erase_if(ascending_, [](const Draw& draw) { return draw.position == kLeftOut; });
}

const Mat& RankedDraws::bulk() { return rank_normalized(ascending_); }

// Distances from the median fall up to the middle of the sorted draws and rise after it: merging the two halves sorts
// them without another sort.
const Mat& RankedDraws::folded() {
  const std::size_t middle = ascending_.size() / 2;
  const double median = (ascending_[middle - 1].value + ascending_[middle].value) / 2;
  if (!std::isfinite(median)) return normalized_.setConstant(kUndefined);

  const auto distance = [median](const Draw& draw) { return Draw{std::abs(draw.value - median), draw.position}; };
  distances_.resize(ascending_.size());
  ascending_distances_.resize(ascending_.size());
  const auto upper = distances_.begin() + static_cast<std::ptrdiff_t>(middle);
  const auto median_draw = ascending_.begin() + static_cast<std::ptrdiff_t>(middle);
  std::transform(std::make_reverse_iterator(median_draw), ascending_.rend(), distances_.begin(), distance);
  std::transform(median_draw, ascending_.end(), upper, distance);
  std::merge(distances_.begin(), upper, upper, distances_.end(), ascending_distances_.begin());
  return rank_normalized(ascending_distances_);
}

const Mat& RankedDraws::rank_normalized(const std::vector<Draw>& ascending) {
  const auto size = static_cast<Index>(ascending.size());
  double* const out = normalized_.data();
  for (Index first = 0, end = 0; first < size; first = end) {
    while (end < size && ascending[end].value == ascending[first].value) ++end;
    const double score = scores_(first + 1 + end);  // ranks first + 1 .. end: twice their average
    for (Index tied = first; tied < end; ++tied) out[ascending[tied].position] = score;
  }
  return normalized_;
}

double rank_normalized_rhat(RankedDraws& ranks) {
  const double bulk = potential_scale_reduction(ranks.bulk());
  const double folded = potential_scale_reduction(ranks.folded());
  return folded > bulk ? folded : bulk;
}

}  // namespace quasar::diagnostics
