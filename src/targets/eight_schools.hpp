// eight-schools: the hierarchical normal model of Rubin, "Estimation in parallel randomized experiments", 1981.
#pragma once

#include <array>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

namespace quasar {

// y_i ~ N(theta_i, sigma_i^2), theta_i ~ N(mu, tau^2), mu ~ N(0, 5^2), tau ~ half-Cauchy(0, 5).
// x = (mu, log tau, eta_1..8) with theta = mu + tau eta (non-centred), or (mu, log tau, theta_1..8) (centred).
class EightSchools final : public FiniteSum {
 public:
  static constexpr Index schools = 8;
  static constexpr std::array<double, schools> effect = {28, 8, -3, 7, -1, 1, 18, 12};
  static constexpr std::array<double, schools> standard_error = {15, 10, 16, 11, 9, 11, 10, 18};

  explicit EightSchools(bool centered) : centered_(centered) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<EightSchools>(*this); }
  Index dim() const override { return schools + 2; }
  Layout layout() const override;  // theta, mu, tau
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;

  Index terms() const override { return schools; }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;

 private:
  double school_prior(In x, Out grad) const;  // of all schools given mu and tau
  double school_scale(In x) const;            // d theta_i / d x of school i: tau, or 1 when centred
  double add_school(In x, double scale, Index school, double weight, Out grad) const;

  bool centered_;
};

inline constexpr Choice eight_schools_parameterizations[] = {{"noncentered"}, {"centered"}};
inline constexpr ParamSpec eight_schools_params[] = {
    {.name = "parameterization",
     .doc = "noncentered samples (theta - mu) / tau, which removes the funnel; centered samples theta itself",
     .type = ParamSpec::choice,
     .init = "noncentered",
     .choices = eight_schools_parameterizations},
};
std::unique_ptr<Target> make_eight_schools(const Config& config, const Table* data);

}  // namespace quasar
