#include "targets/banana.hpp"

#include <cmath>

#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

Eval Banana::logp_grad(In x, Out grad) {
  const double z = x[0] / scale_;
  const double residual = x[1] - ridge(x[0]);
  grad[0] = -z / scale_ + 2 * curvature_ * x[0] * residual;
  grad[1] = -residual;
  return checked(-0.5 * (z * z + residual * residual));
}

void Banana::second_derivatives(In x, Mat& h) {
  const double residual = x[1] - ridge(x[0]), slope = 2 * curvature_ * x[0];
  h.resize(2, 2);
  h << 1 / (scale_ * scale_) + slope * slope - 2 * curvature_ * residual, -slope, -slope, 1;
}

// U_111 = 12 b^2 x_1 and U_112 = -2b; the others vanish.
void Banana::third_derivatives(In x, const Mat& b, Out out) {
  const double cross = -2 * curvature_;
  out[0] = 3 * cross * cross * x[0] * b(0, 0) + 2 * cross * b(0, 1);
  out[1] = cross * b(0, 0);
}

void Banana::draw(const Rng& rng, Out x) const {
  Stream normals = rng.stream("banana");
  x[0] = scale_ * normals.normal();
  x[1] = ridge(x[0]) + normals.normal();
}

// Var x_2 = 1 + b^2 Var(x_1^2) and Var(x_1^2) = 2 s^4.
Moments Banana::moments() const {
  const double variance = scale_ * scale_;
  const double bend = curvature_ * variance;
  return {Vec::Zero(2), Vec{{variance, 1 + 2 * bend * bend}}};
}

std::unique_ptr<Target> make_banana(const Config& config, const Table*) {
  return std::make_unique<Banana>(config.real("scale"), config.real("curvature"));
}

}  // namespace quasar
