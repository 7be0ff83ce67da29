// Subspaces of dimension p in R^n, each given by one of its orthonormal bases X; XQ is the same point. A tangent vector
// U has X'U = 0, and the same vector at the basis XQ is UQ; <U, V> = tr U'V (Edelman, Arias and Smith, SIAM J. Matrix
// Analysis 20, 1998). Where two bases meet they are aligned first, so that results belong to the bases given.
#include <Eigen/SVD>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

// The geodesic from X to Y by its principal angles: X'Y = Z cos(angles) R', and the basis X Z of the first subspace
// moves into the directions W (Bendokat, Zimmermann and Absil, Advances in Computational Mathematics 50, 2024).
struct PrincipalAngles {
  PrincipalAngles(MatIn x, MatIn y) : angles(x.cols()) {
    const Eigen::JacobiSVD<Mat> cosines(x.transpose() * y, Eigen::ComputeFullU | Eigen::ComputeFullV);
    z = cosines.matrixU();
    align = z * cosines.matrixV().transpose();
    const Mat turned = y * cosines.matrixV();  // the basis of Y that belongs to XZ
    w = turned - x * (x.transpose() * turned);
    for (Index k = 0; k < angles.size(); ++k) {
      const double sine = w.col(k).norm();
      angles[k] = std::atan2(sine, cosines.singularValues()[k]);
      if (sine > shortest_vector) w.col(k) /= sine;
    }
    smallest_cosine = cosines.singularValues().minCoeff();
  }
  Vec angles;
  Mat z, w;
  Mat align;  // (Y align') is the basis of Y nearest to X; a vector V there is V align at Y
  double smallest_cosine;
};

class Grassmann final : public Manifold {
 public:
  Grassmann(Index n, Index p) : n_(n), p_(p) {}
  std::string name() const override { return fmt::format("grassmann({}, {})", n_, p_); }
  Shape shape() const override { return {n_, p_}; }
  Index dim() const override { return p_ * (n_ - p_); }

  double inner(MatIn, MatIn u, MatIn v) const override { return u.cwiseProduct(v).sum(); }
  double distance(MatIn x, MatIn y) const override { return PrincipalAngles(x, y).angles.norm(); }

  void project(MatIn x, MatIn ambient, MatOut out) const override { out = ambient - x * (x.transpose() * ambient); }
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    project(x, second - u * (x.transpose() * partials), out);
  }

  // X cos(S) + U sin(S)/S with S^2 = U'U. Both are smooth functions of S^2, so its eigenvalues are accurate enough.
  void exp(MatIn x, MatIn u, MatOut out) const override {
    const Mat gram = u.transpose() * u;
    const Spectrum squares = spectrum(gram);
    const Mat cosine = squares.map([](double square) { return std::cos(std::sqrt(std::max(0.0, square))); });
    const Mat sinc = squares.map([](double square) {
      const double angle = std::sqrt(std::max(0.0, square));
      return angle > shortest_vector ? std::sin(angle) / angle : 1;
    });
    out = polished(x * cosine + u * sinc);
  }
  void log(MatIn x, MatIn y, MatOut out) const override {
    const PrincipalAngles to = angles_below_right(x, y);
    out = to.w * to.angles.asDiagonal() * to.z.transpose();
  }
  // Polar rather than QR: the same subspace, but the basis in which vectors need no turning.
  void retract(MatIn x, MatIn u, MatOut out) const override { out = polar_retraction(x, u); }

  // Costs O(n p^2) like a projection, and is isometric.
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    const PrincipalAngles to = angles_below_right(x, y);
    const Mat along = to.w.transpose() * u;
    const Vec sine = to.angles.array().sin(), cosine_less_one = to.angles.array().cos() - 1;
    const Mat turned = to.w * (cosine_less_one.asDiagonal() * along) - x * (to.z * (sine.asDiagonal() * along));
    out = (u + turned) * to.align;
  }
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override { parallel_transport(x, y, u, out); }

  void random_point(Stream& stream, MatOut out) const override { random_orthonormal(stream, out); }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat normals(n_, p_);
    fill_with_normals(stream, normals);
    project(x, normals, out);
  }

 private:
  PrincipalAngles angles_below_right(MatIn x, MatIn y) const {
    PrincipalAngles to(x, y);
    if (to.smallest_cosine < 1e-14) {
      throw DataError(name() + ": one subspace has a direction orthogonal to the other, and no geodesic is shortest");
    }
    return to;
  }
  std::string violated(MatIn x) const override { return orthonormal_fault(x); }
  Index n_, p_;
};

}  // namespace

ManifoldPtr grassmann(Index n, Index p) {
  require_size(p > 0 && p < n, "grassmann: needs 1 <= p < n");
  return std::make_shared<Grassmann>(n, p);
}

}  // namespace quasar
