// normal-loggamma: one Gaussian and one skewed coordinate, independent.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

// U = x^2/2 + e^y - y: x ~ N(0, 1) and e^y ~ Exp(1). The third derivative in y shows the bias of samplers that adapt
// their preconditioner to the position without the correction this needs.
class NormalLogGamma final : public Target, public ExactLaw {
 public:
  std::unique_ptr<Target> fork() const override { return std::make_unique<NormalLogGamma>(*this); }
  Index dim() const override { return 2; }
  Eval logp_grad(In x, Out grad) override;
  Layout layout() const override { return {{{"x", {}, {}}, {"y", {}, {}}}, {}}; }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;
};

inline constexpr std::span<const ParamSpec> normal_loggamma_params = {};
std::unique_ptr<Target> make_normal_loggamma(const Config& config, const Table* data);

}  // namespace quasar
