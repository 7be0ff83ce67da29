#include "models/sequences/local_moves.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {

LocalMoves::LocalMoves(const Sequences& data, const AsympIhmmOptions& options, const Path& path, const PathStats& stats)
    : data_(data),
      options_(options),
      path_(path),
      stats_(stats),
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

// The rows of a and b are added, and their columns in every row: where a row has both, it has one kind of transition
// less.
double LocalMoves::change_by_merge(Index a, Index b) const {
  const IhmmPenalties& p = options_.penalties;
  StateStats both = state(a);
  both += state(b);
  Vec row = rows_.col(a) + rows_.col(b);
  row[a] += row[b];
  row[b] = 0;
  double change = divergence_from_mean(options_.emission, both) - divergences_[a] - divergences_[b] +
                  cost_of_row(p, row) - row_costs_[a] - row_costs_[b] - p.lambda2;
  for (Index r = 0; r < stats_.size(); ++r) {
    const double to_a = rows_(a, r), to_b = rows_(b, r);
    if (r == a || r == b || to_a == 0 || to_b == 0) continue;
    change -= p.lambda * (x_log_x(to_a + to_b) - x_log_x(to_a) - x_log_x(to_b)) + p.lambda1;
  }
  return change;
}

std::optional<Merge> LocalMoves::best_merge() const {
  std::optional<Merge> best;
  for (Index a = 0; a < stats_.size(); ++a) {
    for (Index b = a + 1; b < stats_.size(); ++b) {
      const double change = change_by_merge(a, b);
      if (!best || change < best->change) best = Merge{static_cast<int>(a), static_cast<int>(b), change};
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

Path LocalMoves::with(const Merge& merge) const {
  Path path = path_;
  std::replace(path.begin(), path.end(), merge.gone, merge.kept);
  return path;
}

}  // namespace quasar
