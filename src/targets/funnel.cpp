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
