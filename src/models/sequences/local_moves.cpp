#include "models/sequences/local_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace quasar {
namespace {

constexpr Index most_in_union = 4;  // beyond pairs: a state and those nearest to it

// The row where transitions to any of the states are one kind.
Vec joined(Vec row, const std::vector<int>& states) {
  double sum = 0;
  for (const int k : states) sum += std::exchange(row[k], 0.0);
  row[states.front()] = sum;
  return row;
}

}  // namespace

LocalMoves::LocalMoves(const Sequences& data, const AsympIhmmOptions& options, const Path& path, const PathStats& stats)
    : data_(data),
      options_(options),
      path_(path),
      stats_(stats),
      centres_(centres_of(options.emission, stats)),
      rows_(stats.counts.transpose()),
      sizes_(Vec::Zero(stats.size())),
      divergences_(stats.size()),
      row_costs_(stats.size()) {
  for (const int state : path) sizes_[state] += 1;
  for (Index k = 0; k < stats.size(); ++k) {
    divergences_[k] = divergence_from_mean(options.emission, stats.states[static_cast<std::size_t>(k)]);
    row_costs_[k] = cost_of_row(options.penalties, rows_.col(k));
  }
}

const StateStats& LocalMoves::state(Index k) const { return stats_.states[static_cast<std::size_t>(k)]; }

std::vector<LocalMoves::Arrivals> LocalMoves::arrivals() const {
  const auto states = static_cast<std::size_t>(stats_.size());
  std::vector<Arrivals> all(states * states, {no_points(data_.dim()), Vec::Zero(stats_.size())});
  for (Index s = 0; s < data_.count(); ++s) {
    const Index end = data_.end(s);
    for (Index t = data_.starts[static_cast<std::size_t>(s)] + 1; t < end; ++t) {
      const auto i = static_cast<std::size_t>(t);
      Arrivals& pair = all[static_cast<std::size_t>(path_[i - 1]) * states + static_cast<std::size_t>(path_[i])];
      add_point(options_.emission, stats_.middle, data_.values.col(t), pair.stats);
      if (t + 1 < end) pair.next[path_[i + 1]] += 1;
    }
  }
  return all;
}

// The points A of j that come from i become the state c. Rows change in two places: what followed A leaves the row of
// j and becomes that of c. In the row of i, c stands where j stood, which costs the same. Where i = j, A are all points
// of a run but its first: steps from j to j become steps from j to c or from c to c, which again is only another name.
double LocalMoves::change_by_split(const Arrivals& leaving, Index j) const {
  StateStats staying = state(j);
  staying -= leaving.stats;
  return divergence_from_mean(options_.emission, staying) + divergence_from_mean(options_.emission, leaving.stats) -
         divergences_[j] + cost_of_row(options_.penalties, rows_.col(j) - leaving.next) +
         cost_of_row(options_.penalties, leaving.next) - row_costs_[j] + options_.penalties.lambda2;
}

std::optional<Split> LocalMoves::best_split() const {
  const std::vector<Arrivals> all = arrivals();
  std::optional<Split> best;
  for (Index i = 0; i < stats_.size(); ++i) {
    for (Index j = 0; j < stats_.size(); ++j) {
      const double moved = rows_(j, i);
      if (moved == 0 || moved == sizes_[j]) continue;
      const double change = change_by_split(all[static_cast<std::size_t>(i * stats_.size() + j)], j);
      if (!best || change < best->change) best = Split{static_cast<int>(i), static_cast<int>(j), change};
    }
  }
  return best;
}

// The rows of the states are added, and their columns in every row: a row that has several of them has fewer kinds of
// transition afterwards.
double LocalMoves::change_by_union(const std::vector<int>& states) const {
  const IhmmPenalties& p = options_.penalties;
  StateStats all = no_points(data_.dim());
  Vec row = Vec::Zero(stats_.size());
  double before = p.lambda2 * static_cast<double>(states.size() - 1);
  for (const int k : states) {
    all += state(k);
    row += rows_.col(k);
    before += divergences_[k] + row_costs_[k];
  }
  double change = divergence_from_mean(options_.emission, all) + cost_of_row(p, joined(row, states)) - before;
  for (Index r = 0; r < stats_.size(); ++r) {
    const bool is_one = std::find(states.begin(), states.end(), r) != states.end();
    if (!is_one) change -= cost_of_row(p, rows_(states, r));
  }
  return change;
}

// The state itself, then the others.
std::vector<int> LocalMoves::by_distance_from(Index state) const {
  std::vector<int> order(static_cast<std::size_t>(stats_.size()));
  std::iota(order.begin(), order.end(), 0);
  Vec far(stats_.size());
  for (Index k = 0; k < stats_.size(); ++k) {
    far[k] = divergence(options_.emission, centres_.col(state), centres_.col(k));
  }
  far[state] = -std::numeric_limits<double>::infinity();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return far[a] < far[b]; });
  return order;
}

// All pairs, and every state with the two or three nearest to it. Three states of the same mean that take turns need
// the latter: to join two of them makes transitions uncertain and raises J, to join all three lowers it.
std::optional<Union> LocalMoves::best_union() const {
  std::optional<Union> best;
  const auto consider = [&](const std::vector<int>& states) {
    const double change = change_by_union(states);
    if (!best || change < best->change) best = Union{states, change};
  };
  for (int a = 0; a < stats_.size(); ++a) {
    for (int b = a + 1; b < stats_.size(); ++b) consider({a, b});
  }
  for (int a = 0; a < stats_.size(); ++a) {
    const std::vector<int> order = by_distance_from(a);
    for (Index size = 3; size <= std::min<Index>(most_in_union, stats_.size()); ++size) {
      consider({order.begin(), order.begin() + size});
    }
  }
  return best;
}

Path LocalMoves::with(const Split& split) const {
  Path path = path_;
  for (Index s = 0; s < data_.count(); ++s) {
    for (Index t = data_.starts[static_cast<std::size_t>(s)] + 1; t < data_.end(s); ++t) {
      const auto i = static_cast<std::size_t>(t);
      if (path_[i - 1] == split.from && path_[i] == split.state) path[i] = static_cast<int>(stats_.size());
    }
  }
  return path;
}

Path LocalMoves::with(const Union& merged) const {
  Path path = path_;
  for (const int gone : merged.states) std::replace(path.begin(), path.end(), gone, merged.states.front());
  return path;
}

}  // namespace quasar
