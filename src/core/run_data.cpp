#include <quasar/run_data.hpp>

#include <algorithm>

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

}  // namespace quasar
