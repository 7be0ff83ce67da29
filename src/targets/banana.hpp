// banana: a Gaussian bent along a parabola.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

// x_1 ~ N(0, s^2), x_2 | x_1 ~ N(b (x_1^2 - s^2), 1): the bent density of Haario, Saksman and Tamminen, "Adaptive
// proposal distribution for random walk Metropolis algorithm", Computational Statistics 14, 1999.
class Banana final : public Target, public Hessian, public ExactLaw {
 public:
  Banana(double scale, double curvature) : scale_(scale), curvature_(curvature) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Banana>(*this); }
  Index dim() const override { return 2; }
  Eval logp_grad(In x, Out grad) override;
  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In x, const Mat& b, Out out) override;

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  double ridge(double x1) const { return curvature_ * (x1 * x1 - scale_ * scale_); }  // the mean of x_2 given x_1

  double scale_, curvature_;
};

inline constexpr ParamSpec banana_params[] = {
    {.name = "scale",
     .doc = "s, the standard deviation along the banana",
     .type = ParamSpec::real,
     .init = "10",
     .min = 0,
     .max = 1e6,
     .exclusive_min = true},
    {.name = "curvature",
     .doc = "b, how strongly it is bent; 0 is a plain Gaussian",
     .type = ParamSpec::real,
     .init = "0.03",
     .min = -1e6,
     .max = 1e6},
};
std::unique_ptr<Target> make_banana(const Config& config, const Table* data);

}  // namespace quasar
