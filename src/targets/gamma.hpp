// gamma: independent Gamma laws, the simplest posterior of positive parameters.
#pragma once

#include <memory>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "targets/exact_law.hpp"

namespace quasar {

// G = diag(1/theta) in theta, and so diag(theta) = J'GJ in log theta: the metric of a Poisson rate or an unnormalised
// probability (Patterson and Teh 2013). Every entry depends on its own coordinate alone.
class PositiveGeometry final : public Geometry {
 public:
  explicit PositiveGeometry(bool natural) : natural_(natural) {}

  bool diagonal() const override { return true; }
  bool reciprocal() const override { return natural_; }
  bool metric(In x, Mat& g) override;
  void directional(In x, In u, Mat& out) override;
  void contract(In x, const Mat& a, Out out) override;
  void divergence(In x, Out out) override;

 private:
  bool natural_;
};

// theta_i ~ Gamma(shape_i, rate_i), sampled as log theta or, in natural coordinates, as theta > 0.
class GammaProduct final : public Target, public ExactLaw {
 public:
  enum class Coordinates { unconstrained, natural };
  GammaProduct(Vec shapes, Vec rates, Coordinates coordinates);

  std::unique_ptr<Target> fork() const override { return std::make_unique<GammaProduct>(*this); }
  Index dim() const override { return shapes_.size(); }
  Eval logp_grad(In x, Out grad) override;
  Layout layout() const override { return {{{"theta", {dim()}, {}}}, {}}; }
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  std::span<const Interval> support() const override { return support_; }
  Geometry* geometry() override { return &geometry_; }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  bool natural() const { return !support_.empty(); }

  Vec shapes_, rates_;
  std::vector<Interval> support_;  // empty: unconstrained
  PositiveGeometry geometry_;
};

inline constexpr Choice gamma_coordinates[] = {{"unconstrained"}, {"natural"}};
inline constexpr ParamSpec gamma_params[] = {
    {.name = "shapes",
     .doc = "shape of each law, separated by commas: one coordinate each",
     .type = ParamSpec::text,
     .init = "2,5"},
    {.name = "rates", .doc = "rate of each law, as many as shapes", .type = ParamSpec::text, .init = "1,2"},
    {.name = "coordinates",
     .doc = "unconstrained samples log theta; natural samples theta itself, restricted to theta > 0",
     .type = ParamSpec::choice,
     .init = "unconstrained",
     .choices = gamma_coordinates},
};
std::unique_ptr<Target> make_gamma(const Config& config, const Table* data);

}  // namespace quasar
