#include "models/sequences/starts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

constexpr int most_turns = 5;
constexpr double half_way = 0.5;
constexpr Index points_of_cluster = 200;  // a start need not be better than so many can tell
constexpr Index points_at_once = 512;

Sequences some_points(const Sequences& data, Index count, Stream draws) {
  if (data.size() <= count) return {data.values};
  std::vector<Index> chosen(static_cast<std::size_t>(count));
  draws.sample_without_replacement(data.size(), chosen);
  return {data.values(Eigen::all, chosen)};
}

Vec mean_of(const Sequences& data) {
  const Path together(static_cast<std::size_t>(data.size()), 0);
  return centres_of(data, together, Mat::Zero(data.dim(), 1)).col(0);
}

Mat seeds(const Sequences& data, Emission emission, Index clusters, In mean, Stream draws) {
  Mat centres(data.dim(), clusters);
  Vec far = Vec::Constant(data.size(), 1);
  for (Index k = 0; k < clusters; ++k) {
    const bool any_left = far.maxCoeff() > 0;  // else more clusters than different points
    const auto point = data.values.col(any_left ? draws.categorical(far) : draws.index(data.size())).array();
    centres.col(k) = inside(emission, point.isNaN().select(mean.array(), point), mean, half_way);
    for (Index t = 0; t < data.size(); ++t) {
      const double away = std::max(0.0, divergence(emission, data.values.col(t), centres.col(k)));
      far[t] = k == 0 ? away : std::min(far[t], away);
    }
  }
  return centres;
}

Path nearest(const Sequences& data, const EntryCosts& costs, Index clusters) {
  Path all(static_cast<std::size_t>(data.size()));
  Mat block(clusters, points_at_once);
  for (Index begin = 0; begin < data.size(); begin += points_at_once) {
    const Index count = std::min(points_at_once, data.size() - begin);
    costs(begin, block.leftCols(count));
    for (Index t = 0; t < count; ++t) {
      Index best = 0;
      for (Index k = 1; k < clusters; ++k) best = block(k, t) < block(best, t) ? k : best;
      all[static_cast<std::size_t>(begin + t)] = static_cast<int>(best);
    }
  }
  return all;
}

}  // namespace

Mat inside(Emission emission, const Mat& centres, In mean, double part) {
  if (emission == Emission::normal) return centres;
  return ((1 - part) * centres).colwise() + part * mean;
}

Mat kmeans(const Sequences& all, Emission emission, Index clusters, const Rng& rng) {
  const Sequences data = some_points(all, points_of_cluster * clusters, rng.stream("points"));
  const Vec mean = mean_of(all);
  Mat centres = seeds(data, emission, clusters, mean, rng.stream("seeds"));
  Path path;
  for (int turn = 0; turn < most_turns; ++turn) {
    Path next = nearest(data, divergences(data, emission, centres), clusters);
    if (next == path) break;
    path = std::move(next);
    centres = centres_of(data, path, centres);
  }
  return inside(emission, centres, mean, half_way);
}

Mat random_rows(Index states, Stream draws) {
  Mat rows(states, states);
  Vec row(states);
  for (Index j = 0; j < states; ++j) {
    draws.dirichlet(Vec::Ones(states), row);
    rows.row(j) = row;
  }
  return rows;
}

}  // namespace quasar
