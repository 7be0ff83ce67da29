#include "models/sequences/partial_normals.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <map>
#include <numbers>

namespace quasar {
namespace {

Mat away_from(In mean, const Mat& values, const SeenTogether& group) {
  return values(group.seen, group.points).colwise() - Vec(mean(group.seen));
}

}  // namespace

std::vector<SeenTogether> group_by_seen(const Mat& values) {
  std::map<std::vector<Index>, SeenTogether> groups;
  for (Index t = 0; t < values.cols(); ++t) {
    SeenTogether one;
    for (Index i = 0; i < values.rows(); ++i) (std::isnan(values(i, t)) ? one.missing : one.seen).push_back(i);
    if (one.seen.empty()) continue;
    groups.try_emplace(one.seen, one).first->second.points.push_back(t);
  }
  std::vector<SeenTogether> all;
  for (auto& [seen, group] : groups) all.push_back(std::move(group));
  return all;
}

Vec log_densities(const Mat& values, const std::vector<SeenTogether>& groups, In mean, const Mat& covariance) {
  Vec all = Vec::Zero(values.cols());
  for (const SeenTogether& group : groups) {
    const Eigen::LLT<Mat> root(covariance(group.seen, group.seen));
    const Mat white = root.matrixL().solve(away_from(mean, values, group));
    const double half_log_det = Mat(root.matrixL()).diagonal().array().log().sum();
    const double constant =
        half_log_det + 0.5 * static_cast<double>(group.seen.size()) * std::log(2 * std::numbers::pi);
    all(group.points) = -0.5 * white.colwise().squaredNorm().transpose().array() - constant;
  }
  return all;
}

NormalMoments expected_moments(const Mat& values, const std::vector<SeenTogether>& groups, In weights, In mean,
                               const Mat& covariance) {
  const Index dim = values.rows();
  NormalMoments all{0, Vec::Zero(dim), Mat::Zero(dim, dim)};  // about the old mean at first
  for (const SeenTogether& group : groups) {
    const Vec own = weights(group.points);
    const double total = own.sum();
    const Mat seen = away_from(mean, values, group);
    Mat completed(dim, seen.cols());
    completed(group.seen, Eigen::all) = seen;
    if (!group.missing.empty()) {
      const Mat across = covariance(group.seen, group.missing);
      const Mat slopes = Eigen::LLT<Mat>(covariance(group.seen, group.seen)).solve(across);
      completed(group.missing, Eigen::all) = slopes.transpose() * seen;
      all.covariance(group.missing, group.missing) +=
          total * (covariance(group.missing, group.missing) - slopes.transpose() * across);
    }
    all.weight += total;
    all.mean += completed * own;
    all.covariance += completed * own.asDiagonal() * completed.transpose();
  }
  if (all.weight > 0) {
    const Vec shift = all.mean / all.weight;
    all.covariance = all.covariance / all.weight - shift * shift.transpose();
    all.mean = mean + shift;
  }
  return all;
}

Mat with_floor(const Mat& covariance, In variances, double share) {
  const Vec unit = variances.cwiseSqrt();
  const Mat scaled = unit.cwiseInverse().asDiagonal() * covariance * unit.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Mat> eigen(0.5 * (scaled + scaled.transpose()));
  const Mat raised =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(share).asDiagonal() * eigen.eigenvectors().transpose();
  return unit.asDiagonal() * raised * unit.asDiagonal();
}

}  // namespace quasar
