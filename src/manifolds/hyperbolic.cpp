// The upper sheet of the hyperboloid <x, x> = -1 with <u, v> = -u_0 v_0 + u_1 v_1 + ... (the Lorentz model), which is
// positive on tangent vectors. All formulas are those of the sphere with cosh and sinh (Nickel and Kiela, ICML 2018).
#include <fmt/core.h>

#include <cmath>

#include <quasar/manifolds.hpp>

#include "manifolds/sizes.hpp"

namespace quasar {
namespace {

double lorentz(MatIn a, MatIn b) {
  const Index n = a.rows() - 1;
  return a.col(0).tail(n).dot(b.col(0).tail(n)) - a(0, 0) * b(0, 0);
}

// cosh(distance) - 1 = <x - y, x - y> / 2 = -<x, y> - 1: the first is exact for points near each other, the second for
// those far away. Their rounding is that of the terms that cancel.
double cosine_less_one(MatIn x, MatIn y) {
  const Index n = x.rows() - 1;
  const double first = x(0, 0) - y(0, 0), rest = (x.col(0).tail(n) - y.col(0).tail(n)).squaredNorm();
  const bool near = rest + first * first < x(0, 0) * y(0, 0);
  const double found = near ? 0.5 * (rest - first * first) : -lorentz(x, y) - 1;
  return found < 0 ? 0 : found;
}

double distance_from(double cosine_less_one) { return 2 * std::asinh(std::sqrt(0.5 * cosine_less_one)); }

class Hyperbolic final : public Manifold {
 public:
  explicit Hyperbolic(Index n) : n_(n) {}
  std::string name() const override { return fmt::format("hyperbolic({})", n_); }
  Shape shape() const override { return {n_ + 1, 1}; }
  Index dim() const override { return n_; }
  Has has() const override { return {.exact_retract = true}; }

  double inner(MatIn, MatIn u, MatIn v) const override { return lorentz(u, v); }
  double distance(MatIn x, MatIn y) const override { return distance_from(cosine_less_one(x, y)); }

  void project(MatIn x, MatIn ambient, MatOut out) const override { out = ambient + lorentz(x, ambient) * x; }

  double project_norm(MatIn x) const override { return 1 + x.squaredNorm(); }

  // The metric's own gradient J partials, J = diag(-1, 1, ..., 1), then its tangent part.
  void gradient(MatIn x, MatIn partials, MatOut out) const override {
    const double along_x = partials.cwiseProduct(x).sum();  // <x, J partials>
    const double first = -partials(0, 0) + along_x * x(0, 0);
    out = partials + along_x * x;
    out(0, 0) = first;
  }
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    const double along_x = partials.cwiseProduct(x).sum(), second_along_x = second.cwiseProduct(x).sum();
    const double first = -second(0, 0) + second_along_x * x(0, 0) + along_x * u(0, 0);
    out = second + second_along_x * x + along_x * u;
    out(0, 0) = first;
  }

  void exp(MatIn x, MatIn u, MatOut out) const override {
    const double length = norm(x, u);
    const double sinhc = length < shortest_vector ? 1 : std::sinh(length) / length;
    out = std::cosh(length) * x + sinhc * u;
    out(0, 0) = std::sqrt(1 + out.col(0).tail(n_).squaredNorm());
  }
  void log(MatIn x, MatIn y, MatOut out) const override {
    const double less_one = cosine_less_one(x, y), sine = std::sqrt(less_one * (less_one + 2));
    out = (y - x) - less_one * x;
    if (sine > shortest_vector) out *= distance_from(less_one) / sine;
  }
  void retract(MatIn x, MatIn u, MatOut out) const override { exp(x, u, out); }

  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    const double part = lorentz(y, u) / (2 + cosine_less_one(x, y));
    out = u + part * (x + y);
  }
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override { parallel_transport(x, y, u, out); }

  void random_point(Stream& stream, MatOut out) const override {
    stream.normals(out.col(0).tail(n_));
    out(0, 0) = std::sqrt(1 + out.col(0).tail(n_).squaredNorm());
  }
  // Normal at the apex (1, 0, ..., 0), whose tangent space is that of the last n numbers, then transported.
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat normals(n_ + 1, 1);
    normals(0, 0) = 0;
    stream.normals(normals.col(0).tail(n_));
    parallel_transport(Mat::Identity(n_ + 1, 1), x, normals, out);
  }

 private:
  std::string violated(MatIn x) const override {
    if (x(0, 0) <= 0) return fmt::format("its first entry is {:.9g}, not positive", x(0, 0));
    const double square = lorentz(x, x);
    return std::abs(square + 1) <= 1e-8 * x(0, 0) * x(0, 0)
               ? ""
               : fmt::format("-x_0^2 + x_1^2 + ... is {:.9g}, not -1", square);
  }
  Index n_;
};

}  // namespace

ManifoldPtr hyperbolic(Index n) {
  require_size(n > 0, "hyperbolic: needs at least one dimension");
  return std::make_shared<Hyperbolic>(n);
}

}  // namespace quasar
