#include "diagnostics/projections.hpp"

#include <algorithm>
#include <limits>

#include <quasar/diagnostics.hpp>
#include <quasar/rng.hpp>

namespace quasar {

Mat random_directions(Index dim, Index count) {
  Mat directions(dim, count);
  Stream stream = Rng(1).stream("directions");
  for (Index i = 0; i < count; ++i) stream.normals(directions.col(i));
  return directions;
}

std::vector<Mat> projected(std::span<const ChainDraws> chains, const Mat& directions) {
  const Index dim = directions.rows(), draws = common_draws(chains), rows = std::ssize(chains);
  std::vector<Mat> all(static_cast<std::size_t>(directions.cols()), Mat(draws, rows));
  for (Index row = 0; row < rows; ++row) {
    const Eigen::Map<const Mat> x(chains[static_cast<std::size_t>(row)].values.data(), dim, draws);
    const Mat along = x.transpose() * directions;
    for (Index i = 0; i < directions.cols(); ++i) all[static_cast<std::size_t>(i)].col(row) = along.col(i);
  }
  return all;
}

double least_ess(std::span<const ChainDraws> chains, const Mat& directions) {
  double least = std::numeric_limits<double>::infinity();
  for (const Mat& one : projected(chains, directions)) {
    const bool moves = sd(one) > 0;  // not NaN either
    least = std::min(least, moves ? ess_mean(one) : 0.0);
  }
  return least;
}

}  // namespace quasar
