// Orthonormal frames X'X = I with <U, V> = tr U'V (Edelman, Arias and Smith, SIAM J. Matrix Analysis 20, 1998). There
// are geodesics in closed form, but neither their inverse nor parallel transport.
#include <fmt/core.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

class Stiefel final : public Manifold {
 public:
  Stiefel(Index n, Index p) : n_(n), p_(p) {}
  std::string name() const override { return fmt::format("stiefel({}, {})", n_, p_); }
  Shape shape() const override { return {n_, p_}; }
  Index dim() const override { return n_ * p_ - p_ * (p_ + 1) / 2; }
  Has has() const override { return {.log = false, .parallel = false, .isometric = false}; }

  double inner(MatIn, MatIn u, MatIn v) const override { return u.cwiseProduct(v).sum(); }
  double distance(MatIn, MatIn) const override { no_closed_form("distance"); }

  void project(MatIn x, MatIn ambient, MatOut out) const override {
    out = ambient - x * symmetric_part(x.transpose() * ambient);
  }
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    project(x, second - u * symmetric_part(x.transpose() * partials), out);
  }

  // [X U] exp([[A, -S], [I, A]]) [I; 0] exp(-A) with A = X'U, S = U'U.
  void exp(MatIn x, MatIn u, MatOut out) const override {
    const Mat a = x.transpose() * u;
    Mat generator(2 * p_, 2 * p_);
    generator << a, -u.transpose() * u, Mat::Identity(p_, p_), a;
    const Mat turned = generator.exp(), back = (-a).exp();
    out = polished((x * turned.topLeftCorner(p_, p_) + u * turned.bottomLeftCorner(p_, p_)) * back);
  }
  void log(MatIn, MatIn, MatOut) const override { no_closed_form("log"); }

  // Polar rather than QR: its error is of third order, that of QR of second.
  void retract(MatIn x, MatIn u, MatOut out) const override { out = polar_retraction(x, u); }

  void parallel_transport(MatIn, MatIn, MatIn, MatOut) const override { no_closed_form("parallel transport"); }
  void transport(MatIn, MatIn y, MatIn u, MatOut out) const override { project(y, u, out); }

  void random_point(Stream& stream, MatOut out) const override { random_orthonormal(stream, out); }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat normals(n_, p_);
    fill_with_normals(stream, normals);
    project(x, normals, out);
  }

 private:
  [[noreturn]] void no_closed_form(const char* what) const {
    throw UsageError(fmt::format("{}: there is no closed form of {}; use retract and transport", name(), what));
  }
  std::string violated(MatIn x) const override { return orthonormal_fault(x); }
  Index n_, p_;
};

}  // namespace

ManifoldPtr stiefel(Index n, Index p) {
  require_size(p > 0 && p <= n, "stiefel: needs 1 <= p <= n");
  return std::make_shared<Stiefel>(n, p);
}

}  // namespace quasar
