#include "targets/funnel.hpp"

#include <cmath>

#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

namespace {

constexpr double v_variance = 9;

}  // namespace

Eval Funnel::logp_grad(In x, Out grad) {
  const double v = x[0], precision = std::exp(-v);
  const auto width = static_cast<double>(dim_ - 1);
  const auto rest = x.tail(dim_ - 1);
  const double squares = precision * rest.squaredNorm();
  grad[0] = -v / v_variance + 0.5 * (squares - width);
  grad.tail(dim_ - 1) = -precision * rest;
  return checked(-0.5 * (v * v / v_variance + squares + width * v));
}

// U_vv = 1/9 + e^-v |x|^2/2, U_vi = -e^-v x_i, U_ii = e^-v.
void Funnel::second_derivatives(In x, Mat& h) {
  const double precision = std::exp(-x[0]);
  const auto rest = x.tail(dim_ - 1);
  h.setZero(dim_, dim_);
  h.diagonal().setConstant(precision);
  h(0, 0) = 1 / v_variance + 0.5 * precision * rest.squaredNorm();
  h.col(0).tail(dim_ - 1) = -precision * rest;
  h.row(0).tail(dim_ - 1) = -precision * rest.transpose();
}

// Only v enters other than as a square: U_vvv = -e^-v |x|^2/2, U_vvi = e^-v x_i, U_vii = -e^-v.
void Funnel::third_derivatives(In x, const Mat& b, Out out) {
  const double precision = std::exp(-x[0]);
  const auto rest = x.tail(dim_ - 1);
  const auto cross = b.col(0).tail(dim_ - 1);
  const double trace = b.diagonal().tail(dim_ - 1).sum();
  out[0] = precision * (2 * rest.dot(cross) - 0.5 * rest.squaredNorm() * b(0, 0) - trace);
  out.tail(dim_ - 1) = precision * (b(0, 0) * rest - 2 * cross);
}

void Funnel::draw(const Rng& rng, Out x) const {
  rng.stream("funnel").normals(x);
  x[0] *= std::sqrt(v_variance);
  x.tail(dim_ - 1) *= std::exp(x[0] / 2);
}

// Var x_i = E e^v = e^(9/2).
Moments Funnel::moments() const {
  Vec variance = Vec::Constant(dim_, std::exp(v_variance / 2));
  variance[0] = v_variance;
  return {Vec::Zero(dim_), variance};
}

std::unique_ptr<Target> make_funnel(const Config& config, const Table*) {
  return std::make_unique<Funnel>(config.integer("dim"));
}

}  // namespace quasar
