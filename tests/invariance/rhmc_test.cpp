// Exact-start invariance of Riemannian HMC, with a thermostat and without: exact draws, a few coarse steps, the same
// law. And long runs with warm-up against known moments.
#include "kernels/hmc/rhmc.hpp"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "kernels/thermostat/rnp_hmc.hpp"
#include "support/geometries.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int replicates = 20'000, steps = 3;
constexpr std::uint64_t seed = 21;

using Function = std::function<double(In)>;
using Cdf = std::function<double(double)>;

struct Coordinate {
  Function of;
  Cdf cdf;
};

struct Case {
  std::string name;
  std::shared_ptr<Target> target;
  std::shared_ptr<Geometry> geometry;
  double step_size;
  std::function<void(const Rng&, Out)> draw;
  std::vector<Coordinate> coordinates;
};

Cdf gamma_cdf(double shape, double rate) {
  return [law = boost::math::gamma_distribution(shape, 1 / rate)](double t) { return boost::math::cdf(law, t); };
}
double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

Case with_exact_law(const std::string& name, std::unique_ptr<Target> target, double step_size,
                    std::vector<Coordinate> coordinates) {
  const std::shared_ptr<Target> shared = std::move(target);
  return {name,
          shared,
          {std::shared_ptr<void>(), shared->geometry()},
          step_size,
          [shared](const Rng& rng, Out x) { dynamic_cast<const ExactLaw&>(*shared).draw(rng, x); },
          std::move(coordinates)};
}

Case gamma_case(bool natural, double step_size) {
  const auto theta = [natural](Index i) { return [natural, i](In x) { return natural ? x[i] : std::exp(x[i]); }; };
  return with_exact_law(natural ? "gamma, natural" : "gamma, unconstrained",
                        test::gamma({{"coordinates", natural ? "natural" : "unconstrained"}}), step_size,
                        {{theta(0), gamma_cdf(2, 1)}, {theta(1), gamma_cdf(5, 2)}});
}

// Ten observations, degrees 2, scale 0.7: tau ~ Gamma(11/2, rate (S + 1/0.7)/2), (mu - mean) sqrt(n tau) ~ N(0, 1).
Case normal_case(bool natural, double step_size) {
  auto target = test::curved_normal(natural, false);
  const double squares = 7.8, mean = 0.7;
  const auto tau = [natural](In x) { return natural ? x[1] : std::exp(x[1]); };
  return with_exact_law(natural ? "normal, natural" : "normal, unconstrained", std::move(target), step_size,
                        {{[tau, mean](In x) { return (x[0] - mean) * std::sqrt(10 * tau(x)); }, normal_cdf},
                         {tau, gamma_cdf(5.5, (squares + 1 / 0.7) / 2)}});
}

Case softabs_case(double step_size) {
  const auto target = std::make_shared<test::SkewedTarget>();
  return {"softabs, skewed",
          target,
          std::make_shared<SoftAbsGeometry>(*target, 2.0),
          step_size,
          [target](const Rng& rng, Out x) { target->draw(rng, x); },
          {{test::SkewedTarget::exp_coordinate, [](double e) { return 1 - std::exp(-e); }},
           {test::SkewedTarget::normal_coordinate, normal_cdf},
           {test::SkewedTarget::mixed_coordinate, normal_cdf}}};
}

// The same on a Hessian that the target states. x1 ~ N(0, 1), x2 - b(x1^2 - 1) ~ N(0, 1).
Case stated_softabs_case(double step_size) {
  const auto target = std::make_shared<Banana>(1.0, 0.7);
  return {"softabs, banana",
          target,
          std::make_shared<SoftAbsGeometry>(*target, 3.0),
          step_size,
          [target](const Rng& rng, Out x) { target->draw(rng, x); },
          {{[](In x) { return x[0]; }, normal_cdf}, {[](In x) { return x[1] - 0.7 * (x[0] * x[0] - 1); }, normal_cdf}}};
}

// Temperature T makes of Gamma(a, b) the law Gamma((a - 1)/T + 1, b/T).
Case tempered_gamma_case(double temperature, double step_size) {
  Case c = gamma_case(true, step_size);
  const auto shape = [=](double a) { return (a - 1) / temperature + 1; };
  const auto tempered = std::make_shared<GammaProduct>(Vec{{shape(2), shape(5)}}, Vec{{1, 2}} / temperature,
                                                       GammaProduct::Coordinates::natural);
  c.name += ", tempered";
  c.draw = [tempered](const Rng& rng, Out x) { tempered->draw(rng, x); };
  c.coordinates[0].cdf = gamma_cdf(shape(2), 1 / temperature);
  c.coordinates[1].cdf = gamma_cdf(shape(5), 2 / temperature);
  return c;
}

constexpr int exact_starts = 5 * 2 + 3 + 2 + 8 * 2;

template <class K>
void expect_exact_draws_to_stay_exact(const Case& c, const K& kernel, double least_accept) {
  std::vector<Vec> ends(replicates, Vec(c.target->dim()));
  double mean_accept = 0, failed = 0;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(seed).child("replicate", static_cast<std::uint64_t>(r));
    Vec& x = ends[static_cast<std::size_t>(r)];
    c.draw(rng, x);
    auto s = kernel.init(x, rng);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const auto info = kernel.step(x, s, rng.at(i));
      mean_accept += info.accept_prob / (replicates * steps);
      failed += info.solver_failed ? 1.0 / (replicates * steps) : 0;
    }
  }
  EXPECT_GT(mean_accept, least_accept) << c.name;  // coarse enough to show what acceptance hides
  EXPECT_LT(mean_accept, 0.85) << c.name;
  EXPECT_GT(failed, 0) << c.name;  // failed solves take part, so their rejection is looked at as well
  for (std::size_t k = 0; k < c.coordinates.size(); ++k) {
    std::vector<double> values;
    for (const Vec& x : ends) values.push_back(c.coordinates[k].of(x));
    std::sort(values.begin(), values.end());
    EXPECT_GT(test::ks_p_value(values, c.coordinates[k].cdf), test::per_assertion(test::family_alpha, exact_starts))
        << c.name << ", coordinate " << k << ", acceptance " << mean_accept << ", seed " << seed;
  }
}

TEST(Invariance, ExactDrawsStayExact) {
  const std::vector<Case> cases = {gamma_case(true, 0.8),   gamma_case(false, 0.5), normal_case(true, 0.6),
                                   normal_case(false, 1.2), softabs_case(1.3),      stated_softabs_case(0.6)};
  for (const Case& c : cases) {
    expect_exact_draws_to_stay_exact(c, Rhmc(*c.target, c.geometry, {{.step_size = c.step_size, .leapfrog_steps = 3}}),
                                     0.5);
  }
  const Case c = gamma_case(true, 0.8);
  expect_exact_draws_to_stay_exact(
      c,
      Rhmc(*c.target, c.geometry,
           {{.step_size = c.step_size, .leapfrog_steps = 3}, {.method = ImplicitSettings::Method::closed_form}}),
      0.5);
}

TEST(Invariance, ExactDrawsStayExactWithAThermostat) {
  struct Variant {
    Case where;
    double exponent, temperature;
    ImplicitSettings::Method method = ImplicitSettings::Method::newton;
  };
  constexpr auto closed = ImplicitSettings::Method::closed_form;
  const Variant variants[] = {{gamma_case(true, 0.4), 0, 1, closed},
                              {gamma_case(true, 0.3), 1, 1, closed},
                              {gamma_case(true, 0.4), 0.5, 1},
                              {tempered_gamma_case(0.7, 0.4), 0, 0.7},
                              {tempered_gamma_case(0.7, 0.3), 1, 0.7, closed},
                              {normal_case(true, 0.5), 0, 1},
                              {normal_case(false, 0.9), 0.5, 1},
                              {stated_softabs_case(0.4), 0, 1}};
  for (const Variant& variant : variants) {
    const Case& c = variant.where;
    const auto d = static_cast<double>(c.target->dim());
    RnpHmcParams params;
    params.step_size = c.step_size;
    params.leapfrog_steps = 3;
    params.solver.method = variant.method;
    params.thermostat = {.mass = d, .exponent = variant.exponent, .temperature = variant.temperature, .degrees = d};
    expect_exact_draws_to_stay_exact(c, RnpHmc(*c.target, c.geometry, params), 0.25);
  }
}

RunData long_run(const Target& target, const Settings& settings) {
  SampleOptions options;
  options.schedule = {1000, 20'000, 1};
  options.seed = 5;
  const SamplerEntry& rhmc = find_sampler("rhmc");
  return sample(target, rhmc, Config(rhmc.name, rhmc.params, settings), options);
}

void expect_moments(const Target& target, const Settings& settings, const Vec& mean_of, const Vec& variance,
                    int assertions) {
  const RunData draws = long_run(target, settings);
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, assertions));
  for (Index i = 0; i < mean_of.size(); ++i) {
    const Mat values = draws_of(draws, i), squares = values.array().square();
    const double second = variance[i] + mean_of[i] * mean_of[i];
    EXPECT_LT(std::abs(mean(values) - mean_of[i]), z * mcse_mean(values)) << i << ": " << mean(values);
    EXPECT_LT(std::abs(mean(squares) - second), z * mcse_mean(squares)) << i << ": " << mean(squares);
  }
}

TEST(LongRun, FindsTheMomentsOfPositiveParameters) {
  const Vec mean{{2.0, 2.5}}, variance{{2.0, 1.25}};
  for (const char* coordinates : {"natural", "unconstrained"}) {
    for (const char* solver : {"newton", "fixed_point"}) {
      SCOPED_TRACE(std::string(coordinates) + ", " + solver);
      expect_moments(*test::gamma({{"coordinates", coordinates}}), {{"solver", solver}}, mean, variance, 4 * 4);
    }
  }
}

// A step of few iterations is not reversible: Metropolis cannot mend it, and the page says so.
TEST(LongRun, AFixedNumberOfIterationsIsBiased) {
  const RunData draws =
      long_run(*test::gamma({{"coordinates", "natural"}}),
               {{"solver", "fixed_point"}, {"fixed_iterations", "1"}, {"step_size", "0.4"}, {"leapfrog_steps", "4"}});
  const Mat values = draws_of(draws, 0);
  EXPECT_GT(std::abs(mean(values) - 2), test::z_threshold(test::family_alpha) * mcse_mean(values)) << mean(values);
}

TEST(LongRun, FindsTheMomentsOfTheNormalModel) {
  for (const bool natural : {true, false}) {
    const auto target = test::curved_normal(natural, false);
    const Moments moments = test::curved_normal(true, false)->moments();
    expect_moments(*target, {}, moments.mean, moments.variance, 2 * 4);
  }
}

}  // namespace
}  // namespace quasar
