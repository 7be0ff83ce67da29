#include "metrics/local_metric.hpp"

namespace quasar {

// The factor begins as that of the identity: one that has computed nothing must not be copied.
LocalMetric::LocalMetric(Index dim, bool diagonal)
    : diagonal_(diagonal),
      g_(dim, diagonal ? 1 : dim),
      factor_(Mat::Identity(diagonal ? 0 : dim, diagonal ? 0 : dim)),
      root_diagonal_(dim) {}

bool LocalMetric::renew(Geometry& geometry, In x) {
  if (!geometry.metric(x, g_) || !g_.allFinite()) return false;
  if (diagonal_) {
    if (!(g_.minCoeff() > 0)) return false;
    root_diagonal_ = g_.col(0).cwiseSqrt();
    log_det_ = g_.array().log().sum();
    return true;
  }
  factor_.compute(g_);
  if (factor_.info() != Eigen::Success) return false;
  root_diagonal_ = g_.diagonal().cwiseSqrt();
  log_det_ = 2 * factor_.matrixLLT().diagonal().array().log().sum();
  return true;
}

void LocalMetric::solve(In p, Out u) const {
  if (diagonal_) {
    u = p.cwiseQuotient(g_.col(0));
  } else {
    u = p;
    factor_.solveInPlace(u);
  }
}

void LocalMetric::solve_columns(Mat& columns) const {
  if (diagonal_) {
    columns.array().colwise() /= g_.col(0).array();
  } else {
    factor_.solveInPlace(columns);
  }
}

void LocalMetric::inverse(Mat& out) const {
  if (diagonal_) {
    out = g_.cwiseInverse();
  } else {
    out.setIdentity(g_.rows(), g_.cols());
    factor_.solveInPlace(out);
  }
}

// L z in place, G = LL': entry i needs z_0..z_i only, so going down from the last overwrites nothing still needed.
void LocalMetric::draw(Stream& noise, Out p) const {
  noise.normals(p);
  if (diagonal_) {
    p.array() *= root_diagonal_.array();
    return;
  }
  const Mat& lower = factor_.matrixLLT();
  for (Index i = p.size() - 1; i >= 0; --i) p[i] = lower.row(i).head(i + 1).dot(p.head(i + 1));
}

}  // namespace quasar
