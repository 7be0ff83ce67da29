#include "targets/linear_gaussian.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/rng.hpp>

#include "targets/checked.hpp"
#include "targets/covariance.hpp"

namespace quasar {

namespace {

constexpr Index block = 128;  // of observations: still in cache when they are read for the second time

}  // namespace

LinearGaussian::LinearGaussian(LinearGaussianData data)
    : data_(std::make_shared<const LinearGaussianData>(std::move(data))),
      posterior_(std::make_shared<const Posterior>(solve(*data_))),
      residuals_(block),
      gathered_responses_(block),
      gathered_predictors_(dim(), block) {}

LinearGaussian::Posterior LinearGaussian::solve(const LinearGaussianData& data) {
  const Mat& a = data.predictors;
  const Index dim = a.rows();
  Posterior posterior;
  posterior.precision = Mat::Identity(dim, dim) + a * a.transpose() / data.noise_variance;
  const Eigen::LLT<Mat> cholesky(posterior.precision);
  posterior.root = cholesky.matrixU().solve(Mat::Identity(dim, dim));  // P = U'U, so that P^-1 = U^-1 U^-T
  posterior.mean = cholesky.solve(a * data.responses / data.noise_variance);
  return posterior;
}

Eval LinearGaussian::prior(In x, Out grad, Want) {
  grad = -x;
  return checked(-0.5 * x.squaredNorm());
}

// Of observations with residuals r = x - A theta and a common precision the log density is -precision |r|^2 / 2, its
// gradient precision A'r.
double LinearGaussian::add_block(In x, const Columns& predictors, In responses, double precision, Out grad) {
  auto residuals = residuals_.head(responses.size());
  residuals = responses;
  residuals.noalias() -= predictors.transpose() * x;
  grad.noalias() += precision * (predictors * residuals);
  return -0.5 * precision * residuals.squaredNorm();
}

Eval LinearGaussian::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  double logp = 0;
  while (!ids.empty()) {
    const auto now = ids.first(std::min(ids.size(), static_cast<std::size_t>(block)));
    const Index n = std::ssize(now);
    for (Index k = 0; k < n; ++k) {
      const Index id = now[static_cast<std::size_t>(k)];
      gathered_predictors_.col(k) = data_->predictors.col(id);
      gathered_responses_[k] = data_->responses[id];
    }
    logp += add_block(x, gathered_predictors_.leftCols(n), gathered_responses_.head(n), weight / data_->noise_variance,
                      grad);
    ids = ids.subspan(now.size());
  }
  return checked(logp);
}

Eval LinearGaussian::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  double logp = 0;
  for (; begin < end; begin += block) {
    const Index n = std::min(block, end - begin);
    logp += add_block(x, data_->predictors.middleCols(begin, n), data_->responses.segment(begin, n),
                      weight / data_->noise_variance, grad);
  }
  return checked(logp);
}

bool LinearGaussian::metric(In, Mat& g) {
  g = posterior_->precision;
  return true;
}

void LinearGaussian::second_derivatives(In, Mat& h) { h = posterior_->precision; }

void LinearGaussian::draw(const Rng& rng, Out x) const {
  Vec z(dim());
  rng.stream("linear-gaussian").normals(z);
  x = posterior_->mean;
  x.noalias() += posterior_->root * z;
}

Moments LinearGaussian::moments() const { return {posterior_->mean, posterior_->root.rowwise().squaredNorm()}; }

namespace {

// Predictors are N(0, LL') with eigenvalues log-spaced from 1 to 10^-1.5, or 1 and 0.05 in two dimensions, in a random
// basis: the synthetic data of Simsekli, Badeau, Cemgil and Richard, "Stochastic quasi-Newton Langevin Monte Carlo",
// ICML 2016, which do not print how many rows they have.
LinearGaussianData synthetic_data(Index dim, Index rows, double noise_variance, std::uint64_t seed) {
  const double condition = dim == 2 ? 20 : std::pow(10, 1.5);
  const RotatedCovariance covariance(random_basis(dim, seed), log_uniform_spectrum(dim, condition));
  const Rng rng(seed);
  LinearGaussianData data{Mat(dim, rows), Vec(rows), noise_variance};
  Vec theta(dim), z(dim);
  rng.stream("theta").normals(theta);
  Stream normals = rng.stream("predictors");
  for (Index n = 0; n < rows; ++n) {
    normals.normals(z);
    covariance.root(z, data.predictors.col(n));
  }
  rng.stream("noise").normals(data.responses);
  data.responses = data.predictors.transpose() * theta + std::sqrt(noise_variance) * data.responses;
  return data;
}

}  // namespace

std::unique_ptr<Target> make_linear_gaussian(const Config& config, const Table*) {
  return std::make_unique<LinearGaussian>(synthetic_data(config.integer("dim"), config.integer("rows"),
                                                         config.real("noise_variance"),
                                                         static_cast<std::uint64_t>(config.integer("data_seed"))));
}

}  // namespace quasar
