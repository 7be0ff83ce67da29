// Small sequences of every kind of observation, and all paths through them.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <quasar/rng.hpp>

#include "models/sequences/viterbi.hpp"

namespace quasar::test {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();
inline constexpr Emission emissions[] = {Emission::normal, Emission::poisson, Emission::categorical};

// Points of the oracles: six values near 0, 3 and 6.
inline Sequences six_points() { return {(Mat(1, 6) << .1, -.2, 3.1, 2.8, .3, 5.9).finished()}; }
inline Mat three_centres() { return (Mat(1, 3) << 0, 3, 6).finished(); }
inline Mat three_rows() { return (Mat(3, 3) << .6, .3, .1, .2, .5, .3, .3, .3, .4).finished(); }

// One value in ten is missing; categories are missing as a whole.
inline Sequences random_sequences(Emission emission, Index points, Index dim, std::vector<Index> starts, Stream draws) {
  Sequences all{Mat::Zero(dim, points), std::move(starts)};
  for (Index t = 0; t < points; ++t) {
    const double level = 4 * draws.uniform();
    if (emission == Emission::categorical) {
      all.values(draws.index(dim), t) = 1;
      if (draws.uniform() < 0.1) all.values.col(t).setConstant(missing);
      continue;
    }
    for (double& x : all.values.col(t)) {
      x = emission == Emission::normal ? level + draws.normal() : static_cast<double>(draws.poisson(level));
      if (draws.uniform() < 0.1) x = missing;
    }
  }
  return all;
}

// Calls use(path) with each of the K^N paths, those first that are lowest when read from the end.
template <class Use>
void for_each_path(Index points, Index states, Use use) {
  Path path(static_cast<std::size_t>(points), 0);
  while (true) {
    use(path);
    std::size_t t = 0;
    while (t < path.size() && ++path[t] == states) path[t++] = 0;
    if (t == path.size()) return;
  }
}

inline bool is_start(const Sequences& data, Index t) {
  for (const Index start : data.starts) {
    if (start == t) return true;
  }
  return false;
}

}  // namespace quasar::test
