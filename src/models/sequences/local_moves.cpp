#include "models/sequences/local_moves.hpp"

#include <algorithm>

namespace quasar {
namespace {

StateStats difference(const StateStats& a, const StateStats& b) {
  return {a.observed - b.observed, a.sum - b.sum, a.potential - b.potential};
}

StateStats sum_of(const StateStats& a, const StateStats& b) {
  return {a.observed + b.observed, a.sum + b.sum, a.potential + b.potential};
}

}  // namespace

LocalMoves::LocalMoves(const Sequences& data, const AsympIhmmOptions& options, const Path& path, const PathStats& stats)
    : data_(data),
      options_(options),
      path_(path),
      stats_(stats),
      now_(objective(options.emission, stats, options.penalties)) {
  const Index states = stats.size();
  const Path pairs = [&] {  // of every point: where it comes from and what it is, as one number
    Path numbers(path.size(), static_cast<int>(states * states));
    for (Index s = 0; s < data.count(); ++s) {
      for (Index t = data.starts[static_cast<std::size_t>(s)] + 1; t < data.end(s); ++t) {
        const auto i = static_cast<std::size_t>(t);
        numbers[i] = static_cast<int>(path[i - 1] * states + path[i]);
      }
    }
    return numbers;
  }();
  PathStats by_pair = stats_of(options.emission, data, pairs);
  const Vec zero = Vec::Zero(data.dim());
  by_pair.states.resize(static_cast<std::size_t>(states * states), {zero, zero, zero});
  for (Index i = 0; i < states * states; ++i) {
    Vec next = Vec::Zero(states);
    // What follows a point that came from i to j is a pair (j, k).
    const Index j = i % states;
    for (Index k = 0; k < states && i < by_pair.counts.rows(); ++k) next[k] = by_pair.counts(i, j * states + k);
    arrivals_.push_back({std::move(by_pair.states[static_cast<std::size_t>(i)]), std::move(next)});
  }
}

double LocalMoves::starts_in(Index state) const {
  return static_cast<double>(std::count_if(data_.starts.begin(), data_.starts.end(), [&](Index start) {
    return start < data_.size() && path_[static_cast<std::size_t>(start)] == state;
  }));
}

const LocalMoves::Arrivals& LocalMoves::arrivals(Index from, Index state) const {
  return arrivals_[static_cast<std::size_t>(from * stats_.size() + state)];
}

// The state c that the points A (from i into j) become is entered from i alone. Where i = j, A are all points of a run
// but its first: of the n_jj steps those behind the second point stay within c.
double LocalMoves::after_split(Index from, Index state) const {
  const Index old = stats_.size();
  const Arrivals& leaving = arrivals(from, state);
  PathStats changed = stats_;
  StateStats& rest = changed.states[static_cast<std::size_t>(state)];
  rest = difference(rest, leaving.stats);
  changed.states.push_back(leaving.stats);
  changed.counts.conservativeResize(old + 1, old + 1);
  changed.counts.col(old).setZero();
  changed.counts.row(old).setZero();
  changed.counts.row(old).head(old) = leaving.next.transpose();
  changed.counts.row(state).head(old) -= leaving.next.transpose();
  const double within = from == state ? leaving.next[state] : 0;
  changed.counts(from, old) = stats_.counts(from, state) - within;
  changed.counts(from, state) = 0;
  if (from == state) {
    changed.counts(old, old) = within;
    changed.counts(old, state) = 0;
  }
  return objective(options_.emission, changed, options_.penalties);
}

std::optional<Split> LocalMoves::best_split() const {
  std::optional<Split> best;
  for (Index i = 0; i < stats_.size(); ++i) {
    for (Index j = 0; j < stats_.size(); ++j) {
      const double moved = stats_.counts(i, j);
      const double all = stats_.counts.col(j).sum() + starts_in(j);
      if (moved == 0 || moved == all) continue;
      const double change = after_split(i, j) - now_;
      if (!best || change < best->change) best = Split{static_cast<int>(i), static_cast<int>(j), change};
    }
  }
  return best;
}

double LocalMoves::after_merge(Index kept, Index gone) const {
  PathStats changed = stats_;
  const Index last = stats_.size() - 1;
  changed.states[static_cast<std::size_t>(kept)] =
      sum_of(stats_.states[static_cast<std::size_t>(kept)], stats_.states[static_cast<std::size_t>(gone)]);
  changed.counts.row(kept) += changed.counts.row(gone);
  changed.counts.col(kept) += changed.counts.col(gone);
  changed.states[static_cast<std::size_t>(gone)] = changed.states[static_cast<std::size_t>(last)];
  changed.states.pop_back();
  changed.counts.row(gone) = changed.counts.row(last).eval();
  changed.counts.col(gone) = changed.counts.col(last).eval();
  changed.counts.conservativeResize(last, last);
  return objective(options_.emission, changed, options_.penalties);
}

std::optional<Merge> LocalMoves::best_merge() const {
  std::optional<Merge> best;
  for (Index a = 0; a < stats_.size(); ++a) {
    for (Index b = a + 1; b < stats_.size(); ++b) {
      const double change = after_merge(a, b) - now_;
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
