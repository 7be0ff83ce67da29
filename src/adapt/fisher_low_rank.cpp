#include "adapt/fisher_low_rank.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace quasar {
namespace {

using Eigenpairs = Eigen::SelfAdjointEigenSolver<Mat>;

constexpr double covariance_ridge = 1e-5;       // of the mean eigenvalue of a covariance
constexpr double stands_out_of_covariance = 2;  // times the bulk, or below it by as much
constexpr double negligible = 1e-12;            // eigenvalues of a Gram matrix, relative to the largest
constexpr Index fewest_draws_of_both = 6;

// An orthonormal basis of the span of the columns of z.
Mat span_of(const Mat& z) {
  const bool wide = z.cols() >= z.rows();
  const Eigenpairs gram(wide ? Mat(z * z.transpose()) : Mat(z.transpose() * z));
  const Vec& values = gram.eigenvalues();  // ascending
  const double least = negligible * values[values.size() - 1];
  const Index rank = std::count_if(values.begin(), values.end(), [&](double value) { return value > least; });
  Mat vectors = gram.eigenvectors().rightCols(rank);
  if (wide) return vectors;
  return z * vectors * values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

Mat covariance(const Mat& centred) {
  Mat c = centred * centred.transpose() / static_cast<double>(centred.cols() - 1);
  c.diagonal().array() += covariance_ridge * c.trace() / static_cast<double>(c.rows());
  return c;
}

// X with X b X = a: with b = L L', X = L'^-1 (L' a L)^(1/2) L^-1.
Mat geometric_mean(const Mat& a, const Mat& b) {
  const Eigen::LLT<Mat> factor(b);
  const Mat l = factor.matrixL();
  const Eigenpairs inner(l.transpose() * a * l);
  Mat half = inner.eigenvectors() * inner.eigenvalues().cwiseMax(0).cwiseSqrt().cwiseSqrt().asDiagonal();
  factor.matrixU().solveInPlace(half);
  return half * half.transpose();
}

double median(Vec values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The places of the eigenvalues that stand out from the bulk, the most outlying_eigenvalues first, no more than `most`.
std::vector<Index> outlying_eigenvalues(In relative, Index most) {
  std::vector<Index> found;
  const auto distance = [&](Index i) { return std::abs(std::log(relative[i])); };
  for (Index i = 0; i < relative.size(); ++i) {
    if (distance(i) > std::log(stands_out_of_covariance)) found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](Index a, Index b) { return distance(a) > distance(b); });
  if (std::ssize(found) > most) found.resize(static_cast<std::size_t>(most));
  return found;
}

LowRank fit(const CentredDraws& draws, const Vec& scale, Index max_rank) {
  const Mat x = scale.cwiseInverse().asDiagonal() * draws.x, g = scale.asDiagonal() * draws.g;
  Mat both(x.rows(), x.cols() + g.cols());
  both << x, g;
  const Mat basis = span_of(both);
  const Eigenpairs solution(geometric_mean(covariance(basis.transpose() * x), covariance(basis.transpose() * g)));
  const Vec eigenvalues = solution.eigenvalues().cwiseMax(1e-300);
  const double bulk = median(eigenvalues);
  const auto kept = outlying_eigenvalues(eigenvalues / bulk, max_rank);
  LowRank metric(scale.size(), max_rank);
  metric.set(std::sqrt(bulk) * scale, basis * solution.eigenvectors()(Eigen::all, kept), (eigenvalues / bulk)(kept));
  return metric;
}

LowRank without_directions(const Vec& scale, Index max_rank) {
  LowRank metric(scale.size(), max_rank);
  metric.set(scale, Mat(scale.size(), 0), Vec(0));
  return metric;
}

}  // namespace

// What is fitted to half of the draws has to suit the other half better than the diagonal alone: where the posterior is
// no Gaussian the noise of a window has directions, too.
bool FisherLowRank::learn(LowRank& metric) {
  if (window_.kept() < fewest_draws_of_both) return false;
  const CentredDraws draws = window_.centred();
  if (!(draws.x.squaredNorm() > 0 && draws.g.squaredNorm() > 0)) return false;  // the chain never moved
  const Index rank = metric.max_rank();
  const Vec per_coordinate = fisher_scale(draws, metric.scale()), for_all = Vec::Ones(draws.x.rows());
  const CentredDraws half = every_other(draws, 0), held_out = every_other(draws, 1);

  LowRank found = without_directions(per_coordinate, rank);
  double least = mismatch(found, held_out);
  const Vec* better = nullptr;
  for (const Vec* scale : {&per_coordinate, &for_all}) {
    const double found_mismatch = mismatch(fit(half, *scale, rank), held_out);
    if (!(found_mismatch < least)) continue;
    least = found_mismatch;
    better = scale;
  }
  if (better != nullptr) found = fit(draws, *better, rank);
  if (!std::isfinite(mismatch(found, draws))) return false;
  metric = std::move(found);
  return true;
}

}  // namespace quasar
