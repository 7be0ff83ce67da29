// Normal points of which some values are missing: densities of what is seen, and what is expected of the rest.
#pragma once

#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// Points that lack the same values share their factorisations. Points that lack all of them are left out.
struct SeenTogether {
  std::vector<Index> seen, missing, points;
};

std::vector<SeenTogether> group_by_seen(const Mat& values);

// log N(x_seen; m_seen, S_seen) of every point, 0 where nothing is seen.
Vec log_densities(const Mat& values, const std::vector<SeenTogether>& groups, In mean, const Mat& covariance);

struct NormalMoments {
  double weight = 0;
  Vec mean;
  Mat covariance;
};

// Mean and covariance of weighted points, where the values that are missing stand for their law given those that are
// seen: with a for seen and b for missing, N(m_b + S_ba S_aa^-1 (x_a - m_a), S_bb - S_ba S_aa^-1 S_ab).
NormalMoments expected_moments(const Mat& values, const std::vector<SeenTogether>& groups, In weights, In mean,
                               const Mat& covariance);

// The most likely covariance among those of which no direction has less than `share` of diag(variances): eigenvalues
// in units of the variances are raised to `share`.
Mat with_floor(const Mat& covariance, In variances, double share);

}  // namespace quasar
