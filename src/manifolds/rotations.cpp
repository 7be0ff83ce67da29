// SO(n): X'X = I, det X = 1. A tangent vector is U = X A with A skew, and <U, V> = tr U'V is invariant from both sides,
// so that geodesics are X exp(A) and half of the same rotation transports vectors in parallel.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/core.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <cmath>
#include <numbers>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

Mat skew_part(MatIn a) { return 0.5 * (a - a.transpose()); }

class Rotations final : public Manifold {
 public:
  explicit Rotations(Index n) : n_(n) {}
  std::string name() const override { return fmt::format("rotations({})", n_); }
  Shape shape() const override { return {n_, n_}; }
  Index dim() const override { return n_ * (n_ - 1) / 2; }

  double inner(MatIn, MatIn u, MatIn v) const override { return u.cwiseProduct(v).sum(); }
  double distance(MatIn x, MatIn y) const override { return skew_log(x.transpose() * y).norm(); }

  void project(MatIn x, MatIn ambient, MatOut out) const override { out = x * skew_part(x.transpose() * ambient); }
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    project(x, second - u * symmetric_part(x.transpose() * partials), out);
  }

  void exp(MatIn x, MatIn u, MatOut out) const override { out = polished(x * skew_exp(skew_part(x.transpose() * u))); }
  void log(MatIn x, MatIn y, MatOut out) const override { out = x * skew_log(x.transpose() * y); }
  // Cayley: X (I - A/2)^-1 (I + A/2).
  void retract(MatIn x, MatIn u, MatOut out) const override {
    const Mat half = 0.5 * skew_part(x.transpose() * u), one = Mat::Identity(n_, n_);
    out = polished(x * (one - half).partialPivLu().solve(one + half));
  }

  // X B to Y exp(-A/2) B exp(A/2), X exp(A) = Y.
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    const Mat half = skew_exp(0.5 * skew_log(x.transpose() * y));
    out = y * skew_part(half.transpose() * (x.transpose() * u) * half);
  }
  // X B to Y B.
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override { out = y * skew_part(x.transpose() * u); }

  void random_point(Stream& stream, MatOut out) const override {
    random_orthonormal(stream, out);
    if (out.determinant() < 0) out.col(0) = -out.col(0);
  }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat normals(n_, n_);
    fill_with_normals(stream, normals);
    project(x, normals, out);
  }

 private:
  static Mat skew_exp(MatIn a) { return a.exp(); }

  // The Schur form of a rotation consists of plane rotations [[c, -s], [s, c]] and ones, up to rounding.
  Mat skew_log(MatIn rotation) const {
    const Eigen::RealSchur<Mat> schur(rotation);
    const Mat& t = schur.matrixT();
    Mat planes = Mat::Zero(n_, n_);
    for (Index k = 0; k < n_; ++k) {
      const bool plane = k + 1 < n_ && t(k + 1, k) != 0;
      const double sine = plane ? 0.5 * (t(k + 1, k) - t(k, k + 1)) : 0;
      const double cosine = plane ? 0.5 * (t(k, k) + t(k + 1, k + 1)) : t(k, k);
      const double angle = std::atan2(sine, cosine);
      if (std::abs(angle) > std::numbers::pi - 1e-14) {
        throw DataError(name() + ": the points differ by half a turn, and no geodesic between them is shortest");
      }
      if (!plane) continue;
      planes(k + 1, k) = angle;
      planes(k, k + 1) = -angle;
      ++k;
    }
    return skew_part(schur.matrixU() * planes * schur.matrixU().transpose());
  }

  std::string violated(MatIn x) const override {
    if (std::string why = orthonormal_fault(x); !why.empty()) return why;
    return x.determinant() > 0 ? "" : "it is a reflection: its determinant is -1";
  }
  Index n_;
};

}  // namespace

ManifoldPtr rotations(Index n) {
  require_size(n > 1, "rotations: needs at least two rows");
  return std::make_shared<Rotations>(n);
}

}  // namespace quasar
