// |x| = 1 with <u, v> = u'v. Geodesics are great circles, and everything costs O(d).
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "manifolds/sizes.hpp"

namespace quasar {
namespace {

double dot(MatIn a, MatIn b) { return a.cwiseProduct(b).sum(); }

class Sphere final : public Manifold {
 public:
  explicit Sphere(Shape shape) : shape_(shape) {}
  std::string name() const override {
    return shape_.cols == 1 ? fmt::format("sphere({})", shape_.rows)
                            : fmt::format("sphere({}, {})", shape_.rows, shape_.cols);
  }
  Shape shape() const override { return shape_; }
  Index dim() const override { return shape_.rows * shape_.cols - 1; }

  double inner(MatIn, MatIn u, MatIn v) const override { return dot(u, v); }

  // Accurate at all angles, where acos(x'y) loses the small and 2 asin(|x - y| / 2) the large ones (Kahan 2006).
  double distance(MatIn x, MatIn y) const override { return 2 * std::atan2((x - y).norm(), (x + y).norm()); }

  void project(MatIn x, MatIn ambient, MatOut out) const override { out = ambient - dot(x, ambient) * x; }

  // Along a great circle x'' = -|x'|^2 x: the slope of f along x is curvature as well.
  void hessian(MatIn x, MatIn partials, MatIn second, MatIn u, MatOut out) const override {
    const double along_x = dot(x, partials), second_along_x = dot(x, second);
    out = second - second_along_x * x - along_x * u;
  }

  void exp(MatIn x, MatIn u, MatOut out) const override {
    const double angle = u.norm();
    const double sinc = angle < shortest_vector ? 1 : std::sin(angle) / angle;
    out = std::cos(angle) * x + sinc * u;
    out /= out.norm();
  }

  // y - x rather than y: nearby points differ by few digits, which are then exact.
  void log(MatIn x, MatIn y, MatOut out) const override {
    const double cosine_less_one = x.cwiseProduct(y - x).sum();
    out = (y - x) - cosine_less_one * x;
    const double sine = out.norm();
    if (cosine_less_one < -1 && sine < smallest_sine) refuse_antipodes();
    if (sine > shortest_vector) out *= std::atan2(sine, 1 + cosine_less_one) / sine;
  }

  void retract(MatIn x, MatIn u, MatOut out) const override {
    out = x + u;
    out /= out.norm();
  }

  // The rotation that takes x to y and leaves alone what is orthogonal to both. The same as
  // v + (e'v)[(cos t - 1) e - sin t x] with t e = log(x, y).
  void parallel_transport(MatIn x, MatIn y, MatIn u, MatOut out) const override {
    const double one_plus_cosine = 0.5 * (x + y).squaredNorm();
    if (one_plus_cosine < 0.5 * smallest_sine * smallest_sine) refuse_antipodes();
    const double part = dot(y, u) / one_plus_cosine;
    out = u - part * (x + y);
  }
  void transport(MatIn x, MatIn y, MatIn u, MatOut out) const override { parallel_transport(x, y, u, out); }

  void random_point(Stream& stream, MatOut out) const override {
    fill_with_normals(stream, out);
    out /= out.norm();
  }
  void random_tangent(MatIn x, Stream& stream, MatOut out) const override {
    Mat normals(shape_.rows, shape_.cols);
    fill_with_normals(stream, normals);
    project(x, normals, out);
  }

 private:
  static constexpr double smallest_sine = 1e-14;  // below it rounding alone says which way to go
  [[noreturn]] void refuse_antipodes() const {
    throw DataError(name() + ": the points are antipodal, and no geodesic between them is shortest");
  }
  std::string violated(MatIn x) const override {
    const double length = x.norm();
    return std::abs(length - 1) <= 1e-8 ? "" : fmt::format("its norm is {:.9g}, not 1", length);
  }
  Shape shape_;
};

}  // namespace

ManifoldPtr sphere(Index rows, Index cols) {
  require_size(rows > 0 && cols > 0 && rows * cols > 1, "sphere: needs at least two numbers");
  return std::make_shared<Sphere>(Manifold::Shape{rows, cols});
}

}  // namespace quasar
