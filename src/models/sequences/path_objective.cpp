#include "models/sequences/path_objective.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

double potential(Emission emission, double x) {
  if (emission == Emission::normal) return x * x;
  return emission == Emission::poisson ? x_log_x(x) - x : x_log_x(x);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return values.empty() ? 0 : *middle;
}

}  // namespace

StateStats& StateStats::operator+=(const StateStats& other) {
  observed += other.observed;
  sum += other.sum;
  potential += other.potential;
  return *this;
}

StateStats& StateStats::operator-=(const StateStats& other) {
  observed -= other.observed;
  sum -= other.sum;
  potential -= other.potential;
  return *this;
}

StateStats no_points(Index dim) { return {Vec::Zero(dim), Vec::Zero(dim), Vec::Zero(dim)}; }

Vec middle_of(Emission emission, const Sequences& data) {
  if (emission != Emission::normal) {
    const Path together(static_cast<std::size_t>(data.size()), 0);
    return centres_of(data, together, Mat::Zero(data.dim(), 1)).col(0);
  }
  Vec middle(data.dim());
  for (Index i = 0; i < data.dim(); ++i) {
    std::vector<double> values;
    for (Index t = 0; t < data.size(); ++t) {
      if (!std::isnan(data.values(i, t))) values.push_back(data.values(i, t));
    }
    middle[i] = median(std::move(values));
  }
  return middle;
}

void add_point(Emission emission, In middle, In point, StateStats& stats) {
  for (Index i = 0; i < point.size(); ++i) {
    if (std::isnan(point[i])) continue;
    const double x = emission == Emission::normal ? point[i] - middle[i] : point[i];
    stats.observed[i] += 1;
    stats.sum[i] += x;
    stats.potential[i] += potential(emission, x);
  }
}

double divergence_from_mean(Emission emission, const StateStats& stats) {
  double sum = 0;
  for (Index i = 0; i < stats.sum.size(); ++i) {
    const double n = stats.observed[i];
    if (n > 0) sum += std::max(0.0, stats.potential[i] - n * potential(emission, stats.sum[i] / n));
  }
  return sum;
}

PathStats stats_of(Emission emission, const Sequences& data, const Path& path) {
  return stats_of(emission, data, path, middle_of(emission, data));
}

PathStats stats_of(Emission emission, const Sequences& data, const Path& path, const Vec& middle) {
  const Index states = path.empty() ? 0 : *std::max_element(path.begin(), path.end()) + 1;
  PathStats stats{std::vector<StateStats>(static_cast<std::size_t>(states), no_points(data.dim())),
                  transition_counts(data, path, states), middle};
  for (Index t = 0; t < data.size(); ++t) {
    const auto state = static_cast<std::size_t>(path[static_cast<std::size_t>(t)]);
    add_point(emission, middle, data.values.col(t), stats.states[state]);
  }
  return stats;
}

Mat centres_of(Emission emission, const PathStats& stats) {
  Mat centres(stats.middle.size(), stats.size());
  for (Index k = 0; k < stats.size(); ++k) {
    const StateStats& state = stats.states[static_cast<std::size_t>(k)];
    for (Index i = 0; i < centres.rows(); ++i) {
      const double mean = state.observed[i] > 0 ? state.sum[i] / state.observed[i] : 0;
      const bool from_middle = emission == Emission::normal || state.observed[i] == 0;
      centres(i, k) = mean + (from_middle ? stats.middle[i] : 0);
    }
  }
  return centres;
}

double total_divergence(Emission emission, const PathStats& stats) {
  double sum = 0;
  for (const StateStats& state : stats.states) sum += divergence_from_mean(emission, state);
  return sum;
}

double cost_of_row(const IhmmPenalties& penalties, In counts) {
  double entropy = x_log_x(counts.sum());
  Index followers = 0;
  for (const double count : counts) {
    if (count <= 0) continue;
    entropy -= x_log_x(count);
    ++followers;
  }
  return penalties.lambda * entropy + penalties.lambda1 * static_cast<double>(std::max<Index>(followers - 1, 0));
}

double cost_of_path(const PathStats& stats, const IhmmPenalties& penalties) {
  double sum = penalties.lambda2 * static_cast<double>(std::max<Index>(stats.size() - 1, 0));
  for (Index k = 0; k < stats.size(); ++k) sum += cost_of_row(penalties, stats.counts.row(k).transpose());
  return sum;
}

double objective(Emission emission, const PathStats& stats, const IhmmPenalties& penalties) {
  return total_divergence(emission, stats) + cost_of_path(stats, penalties);
}

}  // namespace quasar
