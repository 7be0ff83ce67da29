#include "models/sequences/path_objective.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

double potential(Emission emission, double x) {
  if (emission == Emission::normal) return x * x;
  if (x <= 0) return 0;
  return emission == Emission::poisson ? x * std::log(x) - x : x * std::log(x);
}

}  // namespace

double divergence_from_mean(Emission emission, const StateStats& stats) {
  double sum = 0;
  for (Index i = 0; i < stats.sum.size(); ++i) {
    const double n = stats.observed[i];
    if (n > 0) sum += std::max(0.0, stats.potential[i] - n * potential(emission, stats.sum[i] / n));
  }
  return sum;
}

PathStats stats_of(Emission emission, const Sequences& data, const Path& path) {
  const Index states = path.empty() ? 0 : *std::max_element(path.begin(), path.end()) + 1;
  const Vec zero = Vec::Zero(data.dim());
  PathStats stats{std::vector<StateStats>(static_cast<std::size_t>(states), {zero, zero, zero}),
                  transition_counts(data, path, states)};
  for (Index t = 0; t < data.size(); ++t) {
    StateStats& state = stats.states[static_cast<std::size_t>(path[static_cast<std::size_t>(t)])];
    for (Index i = 0; i < data.dim(); ++i) {
      const double x = data.values(i, t);
      if (std::isnan(x)) continue;
      state.observed[i] += 1;
      state.sum[i] += x;
      state.potential[i] += potential(emission, x);
    }
  }
  return stats;
}

double objective(Emission emission, const PathStats& stats, const IhmmPenalties& penalties) {
  double sum = 0;
  for (const StateStats& state : stats.states) sum += divergence_from_mean(emission, state);
  sum += penalties.lambda * transition_entropy(stats.counts);
  for (Index k = 0; k < stats.size(); ++k) {
    sum += penalties.lambda1 * std::max<double>(static_cast<double>((stats.counts.row(k).array() > 0).count()) - 1, 0);
  }
  return sum + penalties.lambda2 * static_cast<double>(stats.size() - 1);
}

}  // namespace quasar
