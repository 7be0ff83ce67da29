// Symmetric positive definite matrices with <U, V>_X = tr(X^-1 U X^-1 V), the metric that congruences X -> C X C' and
// inversion leave unchanged (Bhatia, "Positive Definite Matrices", 2007, chapter 6; Sra and Hosseini, SIAM J.
// Optimization 25, 2015). With X = L L' and S = L^-1 U L^-T, the vector seen from the identity, everything is a
// function of the symmetric matrix S.
#include <fmt/core.h>

#include <cmath>

#include <quasar/manifolds.hpp>

#include "manifolds/sizes.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

class Spd final : public Manifold {
 public:
  explicit Spd(Index n) : n_(n) {}
  std::string name() const override { return fmt::format("spd({})", n_); }
  Shape shape() const override { return {n_, n_}; }
  Index dim() const override { return n_ * (n_ + 1) / 2; }

  double inner(MatIn x, MatIn u, MatIn v) const override {
    const CholeskyRoot root(x);
    const Mat white = root.whiten(u);
    const bool norm = u.data() == v.data() && u.outerStride() == v.outerStride();
    return norm ? white.squaredNorm() : white.cwiseProduct(root.whiten(v)).sum();
  }
  double distance(MatIn x, MatIn y) const override {
    return positive_spectrum(CholeskyRoot(x).whiten(y)).values.array().log().matrix().norm();
  }
  void project(MatIn, MatIn ambient, MatOut out) const override { out = symmetric_part(ambient); }
  void gradient(MatIn x, MatIn partials, MatOut out) const override {
    out = symmetric_part(x * symmetric_part(partials) * x);
  }
  // D(X G X)[U] = U G X + X G U + X H X, less sym(U X^-1 X G X) for the curvature of the coordinates.
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    out = symmetric_part(x * symmetric_part(second) * x + u * symmetric_part(partials) * x);
  }

  void exp(MatIn x, MatIn u, MatOut out) const override {
    const CholeskyRoot root(x);
    out = root.color(spectrum(root.whiten(u)).map([](double value) { return std::exp(value); }));
  }
  void log(MatIn x, MatIn y, MatOut out) const override {
    const CholeskyRoot root(x);
    out = root.color(positive_spectrum(root.whiten(y)).map([](double value) { return std::log(value); }));
  }
  // X + U + U X^-1 U / 2 = (X + (X + U) X^-1 (X + U)) / 2: positive definite whatever U is (Jeuris, Vandebril and
  // Vandereycken, ETNA 39, 2012).
  void retract(MatIn x, MatIn u, MatOut out) const override {
    out = symmetric_part(x + u + 0.5 * u * CholeskyRoot(x).inverse_times(u));
  }

  // E U E' with E = (Y X^-1)^1/2 = L (L^-1 Y L^-T)^1/2 L^-1.
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    const CholeskyRoot root(x);
    const Mat middle = positive_spectrum(root.whiten(y)).map([](double value) { return std::sqrt(value); });
    out = root.color(middle * root.whiten(u) * middle);
  }
  // C U C' with C = L_Y L_X^-1: as isometric as any congruence that takes X to Y, and no eigenvalues are needed.
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    out = CholeskyRoot(y).carry(CholeskyRoot(x), u);
  }

  void random_point(Stream& stream, MatOut out) const override { random_positive_definite(stream, out); }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat white(n_, n_);
    fill_with_symmetric_normals(stream, white);
    out = CholeskyRoot(x).color(white);
  }

 private:
  std::string violated(MatIn x) const override { return positive_definite_fault(x); }
  Index n_;
};

}  // namespace

ManifoldPtr spd(Index n) {
  require_size(n > 0, "spd: needs at least one row");
  return std::make_shared<Spd>(n);
}

}  // namespace quasar
