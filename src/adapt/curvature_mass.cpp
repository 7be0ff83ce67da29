#include "adapt/curvature_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "metrics/bfgs.hpp"

namespace quasar {
namespace {

constexpr Index fewest_draws = 6;
constexpr Index dense_probes = 40;
constexpr double stands_out = 1.5;  // times the bulk, or below it by as much
constexpr double clip = 1e8;        // beyond, a curvature is rounding and not shape

// The curvature with half of all directions below it, those left out in which U bends downwards.
double bulk_curvature(const CurvaturePairs& pairs) {
  double total = 0, below = 0;
  for (Index i = 0; i < pairs.curvature.size(); ++i) total += pairs.curvature[i] > 0 ? pairs.weight[i] : 0;
  for (Index i = 0; i < pairs.curvature.size(); ++i) {
    below += pairs.curvature[i] > 0 ? pairs.weight[i] : 0;
    if (below > 0 && below >= total / 2) return pairs.curvature[i];
  }
  return 1;
}

// The pairs worth keeping, the most outlying_pairs last: the newest pair of BFGS is satisfied best.
std::vector<Index> outlying_pairs(const Vec& curvature, double bulk) {
  std::vector<Index> found;
  const auto distance = [&](Index i) { return std::abs(std::log(curvature[i] / bulk)); };
  for (Index i = 0; i < curvature.size(); ++i) {
    if (!(curvature[i] > 0)) continue;  // there is no Gaussian to be like
    if (distance(i) > std::log(stands_out) && distance(i) < std::log(clip)) found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](Index a, Index b) { return distance(a) < distance(b); });
  return found;
}

Index probes_for(const Lbfgs& metric) { return metric.memory() + metric.memory() / 2; }
Index probes_for(const Dense&) { return dense_probes; }

struct Pairs {  // one per column, in the order of their updates
  Mat s, y;
};

bool build(Lbfgs& metric, const Vec& h0, const Pairs& pairs) {
  metric.clear();
  metric.set_initial(h0);
  for (Index i = 0; i < pairs.s.cols(); ++i) metric.add_pair(pairs.s.col(i), pairs.y.col(i));
  return true;
}

bool build(Dense& metric, const Vec& h0, const Pairs& pairs) {
  Mat h = h0.asDiagonal();
  Vec scratch(h0.size());
  for (Index i = 0; i < pairs.s.cols(); ++i) bfgs_update(h, pairs.s.col(i), pairs.y.col(i), scratch);
  return metric.set_covariance(h);
}

// Draws after probes: an update mixes the directions of a pair with those that are still wrong, and the more so the
// more wrong they are.
Pairs followed_by_draws(const Pairs& probes, const CentredDraws& draws) {
  const Index count = draws.x.cols() - 1;
  Pairs all{Mat(draws.x.rows(), probes.s.cols() + count), Mat(draws.x.rows(), probes.s.cols() + count)};
  all.s << probes.s, draws.x.rightCols(count) - draws.x.leftCols(count);
  all.y << probes.y, draws.g.rightCols(count) - draws.g.leftCols(count);
  return all;
}

// Keeps the best candidate so far in `metric`.
template <class Metric>
struct Contest {
  Metric& metric;
  const CentredDraws held_out;
  double best = std::numeric_limits<double>::infinity();

  void enter(const Vec& h0, const Pairs& pairs) {
    Metric candidate = metric;
    if (!build(candidate, h0, pairs)) return;
    const double score = mismatch(candidate, held_out);
    if (!(score < best)) return;
    best = score;
    metric = std::move(candidate);
  }
};

}  // namespace

template <class M>
bool CurvatureMass<M>::learn(M& metric, const LocalGradient& gradient, const Rng& rng) {
  if (window_.kept() < fewest_draws) return false;
  const CentredDraws draws = window_.centred();
  const double spread = draws.x.squaredNorm() / draws.g.squaredNorm();
  if (!(std::isfinite(spread) && spread > 0)) return false;  // the chain never moved, or U is flat
  const CentredDraws fitted = every_other(draws, 0);
  const Index dim = draws.x.rows();
  const Vec for_all = Vec::Constant(dim, std::pow(spread, 0.25));
  const Vec per_coordinate = fisher_scale(draws, for_all);

  Contest<M> contest{metric, every_other(draws, 1)};
  contest.enter(per_coordinate.array().square(), {});
  for (const Vec& scale : {per_coordinate, for_all}) {
    const CurvaturePairs found = probe_curvature(gradient, scale, probes_for(metric), rng);
    if (found.curvature.size() == 0) continue;
    const double bulk = bulk_curvature(found);
    const auto kept = outlying_pairs(found.curvature, bulk);
    const Pairs probes{found.s(Eigen::all, kept), found.y(Eigen::all, kept)};
    contest.enter(scale.array().square() / bulk, probes);
    if constexpr (std::is_same_v<M, Dense>) {
      contest.enter(scale.array().square() / bulk, followed_by_draws(probes, fitted));
    }
  }
  return std::isfinite(contest.best);
}

template class CurvatureMass<Lbfgs>;
template class CurvatureMass<Dense>;

}  // namespace quasar
