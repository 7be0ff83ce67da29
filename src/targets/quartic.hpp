// double-well and quartic: independent coordinates with U(t) = a t^4 + b t^2.
#pragma once

#include <memory>
#include <string>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

// a > 0; b < 0 gives two wells at +-sqrt(-b / 2a).
class QuarticProduct final : public Target, public Hessian, public ExactLaw {
 public:
  QuarticProduct(std::string variable, Index dim, double a, double b);

  std::unique_ptr<Target> fork() const override { return std::make_unique<QuarticProduct>(*this); }
  Index dim() const override { return dim_; }
  Eval logp_grad(In x, Out grad) override;
  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In x, const Mat& b, Out out) override;
  Layout layout() const override;

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  std::string variable_;
  Index dim_;
  double a_, b_;
};

inline constexpr ParamSpec double_well_params[] = {
    {.name = "dim",
     .doc = "number of independent wells",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 1,
     .max = 1e7},
};
std::unique_ptr<Target> make_double_well(const Config& config, const Table* data);

inline constexpr ParamSpec quartic_params[] = {
    {.name = "dim", .doc = "number of dimensions", .type = ParamSpec::integer, .init = "1", .min = 1, .max = 1e7},
};
std::unique_ptr<Target> make_quartic(const Config& config, const Table* data);

}  // namespace quasar
