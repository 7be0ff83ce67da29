#include "manifolds/problems/karcher_mean.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

// log(L^-1 W_i L^-T) summed over terms, and the squared distances.
class SumOfLogs {
 public:
  explicit SumOfLogs(MatIn x) : root_(x), sum_(Mat::Zero(x.rows(), x.cols())) {}
  void add(MatIn matrix) {
    const Spectrum seen = positive_spectrum(root_.whiten(matrix));
    sum_ += seen.map([](double value) { return std::log(value); });
    squares_ += seen.values.array().log().square().sum();
    ++count_;
  }
  Mat gradient() const { return root_.color(sum_ * (-2 / static_cast<double>(count_))); }
  double mean_square() const { return squares_ / static_cast<double>(count_); }

 private:
  CholeskyRoot root_;
  Mat sum_;
  double squares_ = 0;
  Index count_ = 0;
};

}  // namespace

KarcherMean::KarcherMean(std::vector<Mat> matrices) : matrices_(std::move(matrices)) {
  if (matrices_.empty()) throw DataError("the mean of no matrices");
  manifold_ = spd(matrices_.front().rows());
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const std::string why = manifold_->fault(matrices_[i]);
    if (!why.empty()) throw DataError(fmt::format("matrix {} of {}: {}", i + 1, matrices_.size(), why));
  }
}

double KarcherMean::value(MatIn x) {
  const CholeskyRoot root(x);
  double sum = 0;
  for (const Mat& matrix : matrices_) {
    const Eigen::SelfAdjointEigenSolver<Mat> seen(root.whiten(matrix), Eigen::EigenvaluesOnly);
    sum += seen.eigenvalues().array().log().square().sum();
  }
  return sum / static_cast<double>(terms());
}

double KarcherMean::gradient(MatIn x, MatOut gradient) {
  SumOfLogs sum(x);
  for (const Mat& matrix : matrices_) sum.add(matrix);
  gradient = sum.gradient();
  return sum.mean_square();
}

void KarcherMean::mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) {
  SumOfLogs sum(x);
  for (const Index i : terms) sum.add(matrices_[static_cast<std::size_t>(i)]);
  gradient = sum.gradient();
}

}  // namespace quasar
