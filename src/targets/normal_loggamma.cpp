#include "targets/normal_loggamma.hpp"

#include <cmath>
#include <numbers>

#include <quasar/rng.hpp>

#include "targets/checked.hpp"

namespace quasar {

Eval NormalLogGamma::logp_grad(In x, Out grad) {
  const double exponential = std::exp(x[1]);
  grad[0] = -x[0];
  grad[1] = 1 - exponential;
  return checked(-0.5 * x[0] * x[0] + x[1] - exponential);
}

void NormalLogGamma::draw(const Rng& rng, Out x) const {
  Stream numbers = rng.stream("normal-loggamma");
  x[0] = numbers.normal();
  x[1] = std::log(numbers.exponential());
}

// The logarithm of an exponential variable has mean minus Euler's constant and variance pi^2 / 6.
Moments NormalLogGamma::moments() const {
  using std::numbers::egamma, std::numbers::pi;
  return {Vec{{0.0, -egamma}}, Vec{{1.0, pi * pi / 6}}};
}

std::unique_ptr<Target> make_normal_loggamma(const Config&, const Table*) { return std::make_unique<NormalLogGamma>(); }

}  // namespace quasar
