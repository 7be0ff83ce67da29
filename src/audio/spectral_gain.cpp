#include "audio/spectral_gain.hpp"

#include <algorithm>
#include <limits>

namespace quasar {

namespace {

constexpr double least_square = std::numeric_limits<double>::min();

Vec mean_of_first(const Mat& values, Index quiet) {
  return values.leftCols(std::min(quiet, values.cols())).rowwise().mean();
}

}  // namespace

Mat spectral_subtraction(const Mat& squares, Index quiet, double floor) {
  const Mat sizes = squares.cwiseSqrt().cwiseMax(least_square);
  const Vec noise = mean_of_first(sizes, quiet);
  return (1 - sizes.array().inverse().colwise() * noise.array()).max(floor).matrix();
}

Mat wiener_gain(const Mat& squares, Index quiet) {
  const Mat safe = squares.cwiseMax(least_square);
  const Vec noise = mean_of_first(safe, quiet);
  return (1 - safe.array().inverse().colwise() * noise.array()).max(0).matrix();
}

Mat decision_directed_gain(const Mat& squares, Index quiet, double memory) {
  constexpr double least_ratio = 0.0031622776601683794;  // -25 dB
  const Vec noise = mean_of_first(squares, quiet).cwiseMax(least_square);
  Mat gain(squares.rows(), squares.cols());
  Vec speech = Vec::Zero(squares.rows());
  for (Index t = 0; t < squares.cols(); ++t) {
    const Eigen::ArrayXd now = squares.col(t).array() / noise.array();
    const Eigen::ArrayXd ratio =
        (memory * speech.array() / noise.array() + (1 - memory) * (now - 1).max(0)).max(least_ratio);
    gain.col(t) = ratio / (1 + ratio);
    speech = gain.col(t).cwiseAbs2().cwiseProduct(squares.col(t));
  }
  return gain;
}

}  // namespace quasar
