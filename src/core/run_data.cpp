#include <algorithm>

#include <quasar/run_data.hpp>

namespace quasar {

void ChainDraws::append(std::span<const double> draw_values, std::span<const double> draw_stats) {
  values.insert(values.end(), draw_values.begin(), draw_values.end());
  stats.insert(stats.end(), draw_stats.begin(), draw_stats.end());
  ++draws;
}

Index common_draws(std::span<const ChainDraws> chains) {
  const auto shortest = std::min_element(chains.begin(), chains.end(),
                                         [](const ChainDraws& a, const ChainDraws& b) { return a.draws < b.draws; });
  return shortest == chains.end() ? 0 : shortest->draws;
}

namespace {

// Column `offset` of tables that are `width` wide, one table per chain.
Mat column(const RunData& run, std::vector<double> ChainDraws::*table, Index width, Index offset) {
  Mat out(common_draws(run.sampling), std::ssize(run.sampling));
  for (Index c = 0; c < out.cols(); ++c) {
    const std::vector<double>& data = run.sampling[static_cast<std::size_t>(c)].*table;
    for (Index i = 0; i < out.rows(); ++i) out(i, c) = data[static_cast<std::size_t>(i * width + offset)];
  }
  return out;
}

}  // namespace

Mat draws_of(const RunData& run, Index element) { return column(run, &ChainDraws::values, run.layout.size(), element); }

Mat statistic(const RunData& run, std::string_view name) {
  for (Index i = 0; i < std::ssize(run.stats); ++i) {
    if (run.stats[static_cast<std::size_t>(i)].name == name) {
      return column(run, &ChainDraws::stats, std::ssize(run.stats), i);
    }
  }
  return {};
}

}  // namespace quasar
