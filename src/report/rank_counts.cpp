#include "report/rank_counts.hpp"

#include "report/base64.hpp"

namespace quasar::report {
namespace {

constexpr Index most_bins = 20, draws_per_bin = 5;
constexpr double largest_count = 65535;

}  // namespace

RankCounts::RankCounts(const PictureSize& size)
    : bins_(std::clamp<Index>(size.draws / draws_per_bin, 1, most_bins)),
      unit_(std::max(1.0, static_cast<double>(size.draws) / largest_count)),
      expected_(static_cast<double>(size.draws) / static_cast<double>(bins_) / unit_) {
  counts_.reserve(static_cast<std::size_t>(size.parameters * size.chains * bins_));
}

// The bin of a draw grows with the draw, so that it is enough to know where each begins.
void RankCounts::find_thresholds(std::span<const double> sorted) {
  constexpr double beyond_all = std::numeric_limits<double>::quiet_NaN();
  thresholds_.assign(static_cast<std::size_t>(bins_ - 1), beyond_all);
  const auto total = static_cast<Index>(sorted.size());
  std::size_t next = 0;  // of the thresholds
  for (std::size_t begin = 0, end = 0; begin < sorted.size() && next < thresholds_.size(); begin = end) {
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    const auto twice_rank = static_cast<Index>(begin + 1 + end);  // the first rank and the last
    const Index bin = bins_ * (twice_rank - 1) / (2 * total);
    for (; static_cast<Index>(next) < bin; ++next) thresholds_[next] = sorted[begin];
  }
}

void RankCounts::add(const ParameterDraws& draws) {
  find_thresholds(draws.sorted());
  std::vector<Index> counts(static_cast<std::size_t>(bins_));
  for (const auto& chain : draws.by_chain().colwise()) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const double value : chain) {
      if (std::isnan(value)) continue;
      std::size_t bin = 0;
      for (const double threshold : thresholds_) bin += value >= threshold ? 1 : 0;
      ++counts[bin];
    }
    for (const Index count : counts) {
      counts_.push_back(static_cast<std::uint16_t>(std::round(static_cast<double>(count) / unit_)));
    }
  }
}

nlohmann::ordered_json RankCounts::json() const {
  return {{"bins", bins_}, {"expected", expected_}, {"data", base64(counts_)}};
}

}  // namespace quasar::report
