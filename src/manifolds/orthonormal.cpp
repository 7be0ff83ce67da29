#include "manifolds/orthonormal.hpp"

#include <Eigen/QR>
#include <fmt/core.h>

#include <cmath>

#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {

Mat polished(MatIn x) {
  const Mat gram = x.transpose() * x;
  return 1.5 * x - 0.5 * x * gram;
}

Mat polar_retraction(MatIn x, MatIn u) {
  const Mat gram = u.transpose() * u;
  const Mat inverse_root = spectrum(gram).map([](double value) { return 1 / std::sqrt(1 + value); });
  return polished((x + u) * inverse_root);
}

void random_orthonormal(Stream& stream, MatOut out) {
  fill_with_normals(stream, out);
  const Eigen::HouseholderQR<Mat> factors(out);
  out = factors.householderQ() * Mat::Identity(out.rows(), out.cols());
  for (Index j = 0; j < out.cols(); ++j) {
    if (factors.matrixQR()(j, j) < 0) out.col(j) = -out.col(j);
  }
}

std::string orthonormal_fault(MatIn x) {
  const double error = (x.transpose() * x - Mat::Identity(x.cols(), x.cols())).norm();
  return error <= 1e-8 ? "" : fmt::format("its columns are not orthonormal: |x'x - I| is {:.3g}", error);
}

}  // namespace quasar
