#include "adapt/curvature_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <quasar/rng.hpp>

#include "metrics/bfgs.hpp"

namespace quasar {
namespace {

constexpr Index fewest_draws = 6;
constexpr Index dense_probes = 40;
constexpr double stands_out = 1.5;  // times the bulk, or below it by as much

// The curvature with half of all directions below it. Where U bends downwards there is no Gaussian to be like.
double bulk_curvature(const CurvaturePairs& pairs) {
  double total = 0, below = 0;
  for (Index i = 0; i < pairs.curvature.size(); ++i) total += pairs.curvature[i] > 0 ? pairs.weight[i] : 0;
  for (Index i = 0; i < pairs.curvature.size(); ++i) {
    below += pairs.curvature[i] > 0 ? pairs.weight[i] : 0;
    if (below > 0 && below >= total / 2) return pairs.curvature[i];
  }
  return 1;
}

// The pairs worth keeping, the most outlying last: the newest pair of BFGS is satisfied best.
std::vector<Index> outlying(const Vec& curvature, double bulk) {
  std::vector<Index> found;
  const auto distance = [&](Index i) { return std::abs(std::log(curvature[i] / bulk)); };
  for (Index i = 0; i < curvature.size(); ++i) {
    if (curvature[i] > 0 && distance(i) > std::log(stands_out)) found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](Index a, Index b) { return distance(a) < distance(b); });
  return found;
}

Index probes_for(const Lbfgs& metric) { return metric.memory() + metric.memory() / 2; }
Index probes_for(const Dense&) { return dense_probes; }

bool build(Lbfgs& metric, const Vec& h0, const CentredDraws&, const CurvaturePairs& pairs,
           const std::vector<Index>& kept) {
  metric.clear();
  metric.set_initial(h0);
  for (const Index i : kept) metric.add_pair(pairs.s.col(i), pairs.y.col(i));
  return true;
}

// Draws after probes: an update mixes the directions of a pair with those that are still wrong, and the more so the
// more wrong they are.
bool build(Dense& metric, const Vec& h0, const CentredDraws& draws, const CurvaturePairs& pairs,
           const std::vector<Index>& kept) {
  Mat h = h0.asDiagonal();
  Vec scratch(h0.size());
  for (const Index i : kept) bfgs_update(h, pairs.s.col(i), pairs.y.col(i), scratch);
  for (Index i = 1; i < draws.x.cols(); ++i) {
    bfgs_update(h, draws.x.col(i) - draws.x.col(i - 1), draws.g.col(i) - draws.g.col(i - 1), scratch);
  }
  return metric.set_covariance(h);
}

// Keeps the best candidate so far in `metric`.
template <class Metric>
struct Contest {
  Metric& metric;
  const CentredDraws held_out;
  double best = std::numeric_limits<double>::infinity();

  void enter(const Metric& candidate) {
    const double score = mismatch(candidate, held_out);
    if (!(score < best)) return;
    best = score;
    metric = candidate;
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
  M candidate = metric;
  if (build(candidate, per_coordinate.array().square(), fitted, {}, {})) contest.enter(candidate);
  for (const Vec& scale : {per_coordinate, for_all}) {
    const CurvaturePairs pairs = probe_curvature(gradient, scale, probes_for(metric), rng);
    if (pairs.curvature.size() == 0) continue;
    const double bulk = bulk_curvature(pairs);
    const auto kept = outlying(pairs.curvature, bulk);
    if (build(candidate, scale.array().square() / bulk, fitted, pairs, kept)) contest.enter(candidate);
  }
  return std::isfinite(contest.best);
}

template class CurvatureMass<Lbfgs>;
template class CurvatureMass<Dense>;

}  // namespace quasar
