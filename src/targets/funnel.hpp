// funnel: a scale that is itself unknown, so that the width changes by orders of magnitude.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

// v ~ N(0, 9), x_i | v ~ N(0, e^v): Neal, "Slice sampling", Annals of Statistics 31, 2003, section 8.
class Funnel final : public Target, public Hessian, public ExactLaw {
 public:
  explicit Funnel(Index dim) : dim_(dim) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Funnel>(*this); }
  Index dim() const override { return dim_; }
  Eval logp_grad(In x, Out grad) override;
  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In x, const Mat& b, Out out) override;
  Layout layout() const override { return {{{"v", {}, {}}, {"x", {dim_ - 1}, {}}}, {}}; }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  Index dim_;
};

inline constexpr ParamSpec funnel_params[] = {
    {.name = "dim",
     .doc = "total number of dimensions: v and dim - 1 of x",
     .type = ParamSpec::integer,
     .init = "10",
     .min = 2,
     .max = 1e7},
};
std::unique_ptr<Target> make_funnel(const Config& config, const Table* data);

}  // namespace quasar
