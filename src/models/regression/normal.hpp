// normal: the mean and precision of one column of numbers, x_i ~ N(mu, 1/tau).
#pragma once

#include <array>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/normal_geometry.hpp"
#include "models/regression/observations.hpp"
#include "targets/exact_law.hpp"

namespace quasar {

struct PrecisionPrior {  // in one dimension: log density (degrees/2 - 1) log tau - tau / (2 scale); flat in mu
  double degrees = 1, scale = 1;
};

// Coordinates (mu, log tau), or (mu, tau) in natural coordinates, where the support is tau > 0. The posterior is known:
// tau ~ Gamma((n + degrees - 1)/2, rate (S + 1/scale)/2) with S the sum of squares about the mean, and
// mu | tau ~ N(mean, 1/(n tau)).
class NormalModel final : public FiniteSum, public Hessian, public ExactLaw {
 public:
  enum class Coordinates { unconstrained, natural };
  NormalModel(Observations observations, PrecisionPrior prior, Coordinates coordinates,
              NormalGeometry::Fisher fisher = NormalGeometry::Fisher::expected);

  std::unique_ptr<Target> fork() const override { return std::make_unique<NormalModel>(*this); }
  Index dim() const override { return 2; }
  Layout layout() const override { return {{{"mu", {}, {}}, {"tau", {}, {}}}, {}}; }
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  std::span<const Interval> support() const override;
  Geometry* geometry() override { return &geometry_; }
  Hessian* hessian() override { return this; }
  void second_derivatives(In x, Mat& h) override;
  void third_derivatives(In x, const Mat& b, Out out) override;

  Index terms() const override { return observations_.size(); }
  bool proper_prior() const override { return false; }  // flat in mu
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;
  void prefetch(std::span<const Index> ids) override { observations_.prefetch(ids); }

  void draw(const Rng& rng, Out x) const override;
  Moments moments() const override;

 private:
  struct Sums;  // of a set of observations
  bool natural() const { return coordinates_ == Coordinates::natural; }
  double tau(In x) const;
  Eval add(In x, const Sums& sums, double weight, Out grad) const;

  Observations observations_;
  double n_, mean_;
  PrecisionPrior prior_;
  Coordinates coordinates_;
  double shape_, rate_;  // of tau's posterior
  NormalGeometry geometry_;
};

inline constexpr Choice normal_coordinates[] = {{"unconstrained"}, {"natural"}};
inline constexpr Choice normal_fishers[] = {{"expected"}, {"observed"}};
inline constexpr ParamSpec normal_params[] = {
    {.name = "target", .doc = "the column of observations; empty: the last one", .type = ParamSpec::text, .init = ""},
    {.name = "coordinates",
     .doc = "unconstrained samples log tau; natural samples tau itself, restricted to tau > 0",
     .type = ParamSpec::choice,
     .init = "unconstrained",
     .choices = normal_coordinates},
    {.name = "fisher",
     .doc = "metric of Riemannian samplers: expected Fisher information, or observed, which keeps them where it is "
            "positive definite",
     .type = ParamSpec::choice,
     .init = "expected",
     .choices = normal_fishers},
    {.name = "prior_degrees",
     .doc = "degrees of freedom of the Wishart prior on tau",
     .type = ParamSpec::real,
     .init = "1",
     .min = 0,
     .max = 1e6,
     .exclusive_min = true},
    {.name = "prior_scale",
     .doc = "scale of the Wishart prior on tau",
     .type = ParamSpec::real,
     .init = "1",
     .min = 0,
     .max = 1e100,
     .exclusive_min = true},
};
std::unique_ptr<Target> make_normal(const Config& config, const Table* data);

}  // namespace quasar
