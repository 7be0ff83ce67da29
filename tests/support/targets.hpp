// A small target that is hard enough: skewed, correlated, with an exact sampler.
#pragma once

#include <cmath>
#include <memory>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar::test {

// x = A w with w = (log of an Exp(1) variable, two standard normals) and a fixed triangular A of determinant 1:
// log pi(x) = w_0 - e^{w_0} - (w_1^2 + w_2^2)/2 at w = A^-1 x.
struct SkewedTarget final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<SkewedTarget>(*this); }
  Index dim() const override { return 3; }

  Eval logp_grad(In x, Out grad) override {
    ++evaluations;
    const double w0 = x[0], w1 = x[1] - 0.8 * w0, w2 = x[2] + 0.5 * w0 - 0.6 * w1;
    const double g0 = 1 - std::exp(w0), g1 = -w1, g2 = -w2;
    grad[2] = g2;
    grad[1] = g1 - 0.6 * g2;
    grad[0] = g0 - 0.8 * g1 + (0.5 + 0.6 * 0.8) * g2;
    return {w0 - std::exp(w0) - 0.5 * (w1 * w1 + w2 * w2)};
  }

  void draw(const Rng& rng, Out x) const {
    Stream stream = rng.stream("exact");
    const double w0 = std::log(stream.exponential()), w1 = stream.normal(), w2 = stream.normal();
    x << w0, w1 + 0.8 * w0, w2 - 0.5 * w0 + 0.6 * w1;
  }

  // The independent coordinates of x, each with a distribution function.
  static double exp_coordinate(In x) { return std::exp(x[0]); }
  static double normal_coordinate(In x) { return x[1] - 0.8 * x[0]; }
  static double mixed_coordinate(In x) { return x[2] + 0.5 * x[0] - 0.6 * normal_coordinate(x); }

  long evaluations = 0;
};

}  // namespace quasar::test
