// The kernels on Riemannian Nose-Poincare dynamics, without statistics: what must hold after every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "integrators/potential.hpp"
#include "kernels/thermostat/rnp_hmc.hpp"
#include "kernels/thermostat/sgr_nphmc.hpp"
#include "kernels/thermostat/sgr_nphmc_canonical.hpp"
#include "support/allocations.hpp"
#include "support/geometries.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

static_assert(Kernel<RnpHmc>);

std::shared_ptr<Geometry> geometry_of(const test::Curved& c) {
  return c.around ? c.around : std::shared_ptr<Geometry>(std::shared_ptr<void>(), c.target->geometry());
}

RnpHmc kernel_on(const test::Curved& c, RnpHmcParams::Scheme scheme, double exponent) {
  RnpHmcParams params;
  params.step_size = 0.3;
  params.leapfrog_steps = 3;
  const auto d = static_cast<double>(c.x.size());
  params.thermostat = {.mass = exponent == 0 ? d : 1, .exponent = exponent, .degrees = d};
  params.scheme = scheme;
  return {*c.target, geometry_of(c), params};
}

TEST(RnpHmc, KeepsItsCacheFreshAndAllocatesNothing) {
  for (const test::Curved& c : test::curved_targets()) {
    for (const auto scheme : {RnpHmcParams::offset, RnpHmcParams::printed}) {
      const bool printed = scheme == RnpHmcParams::printed;
      const RnpHmc kernel = kernel_on(c, scheme, printed ? 1 : 0);
      const Rng rng(3);
      Vec x = c.x, g(x.size());
      auto s = kernel.init(x, rng);
      kernel.step(x, s, rng.at(1000));
      int moved = 0;
      for (std::uint64_t i = 0; i < 100; ++i) {
        const Vec before = x;
        const long allocated = test::allocation_count;
        const auto info = kernel.step(x, s, rng.at(i));
        ASSERT_EQ(test::allocation_count, allocated) << c.name;
        moved += x != before;
        ASSERT_EQ(s.u, potential(*c.target, x, g)) << c.name;
        ASSERT_EQ(s.g, g) << c.name;
        ASSERT_EQ(info.lp, -s.u) << c.name;
      }
      EXPECT_GT(moved, printed ? 0 : 20) << c.name;
      EXPECT_LT(moved, 100) << c.name;  // both branches were taken
    }
  }
}

static_assert(Kernel<SgrNphmc> && Kernel<SgrNphmcCanonical>);

// A step that is too long, in halves too, leaves the chain where it is; every other moves it.
template <class K>
void expect_steps_too_long_to_stay(typename K::Params params) {
  const test::Curved c = test::positive_parameters();
  params.step.size = 1.6;
  params.leapfrog_steps = 1;
  params.solver.method = ImplicitSettings::Method::closed_form;
  const K kernel(*c.target, geometry_of(c), {}, params);
  const Rng rng(5);
  int failed = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Vec x = c.x;
    auto s = kernel.init(x, rng.at(i));
    const auto info = kernel.step(x, s, rng.at(i));
    ASSERT_EQ(info.too_long == 1, x == c.x) << i;
    ASSERT_TRUE((x.array() > 0).all() && x.allFinite()) << i;
    failed += info.too_long == 1;
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 295);
}

TEST(Stochastic, StepsThatAreTooLongStayWhereTheyAre) {
  SgrNphmcParams printed;
  printed.thermostat = {.mass = 2, .degrees = 2};
  expect_steps_too_long_to_stay<SgrNphmc>(printed);
  SgrNphmcCanonicalParams canonical;
  canonical.thermostat.thermostat_mass = 2;
  expect_steps_too_long_to_stay<SgrNphmcCanonical>(canonical);
}

// A chain whose every step fails, from the first on, is not one with a law.
TEST(SgrNphmc, AChainThatCannotMoveEnds) {
  const test::Curved c = test::positive_parameters();
  SgrNphmcParams params;
  params.step.size = 1e6;
  const SgrNphmc kernel(*c.target, geometry_of(c), {}, params);
  const Rng rng(5);
  Vec x = c.x;
  auto s = kernel.init(x, rng);
  for (std::int64_t i = 1; i < most_idle_iterations; ++i) {
    ASSERT_EQ(kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i))).too_long, params.leapfrog_steps);
  }
  EXPECT_THROW(kernel.step(x, s, rng.at(0)), Diverged);
}

TEST(Samplers, SayWhereThereIsNoMetric) {
  for (const char* name : {"rnp-hmc", "sgr-nphmc", "sgr-nphmc-canonical"}) {
    const SamplerEntry& sampler = find_sampler(name);
    ChainSpec spec;
    spec.initial = Vec{{5, 3}};
    test::Collect draws;
    try {
      sampler.make(test::curved_normal(true, true), Config(sampler.name, sampler.params, {{"step_size", "0.1"}}), spec)
          ->run_to(1, draws, {});
      ADD_FAILURE() << name;
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find("not positive definite"), std::string::npos) << name << error.what();
    }
  }
}

// Without friction and noise, step by step: what the integrators do, and nothing else.
TEST(SgrNphmc, WithoutFrictionAndNoiseIsTheDeterministicMap) {
  for (const test::Curved& c : test::curved_targets()) {
    for (const double exponent : {0.0, 1.0}) {
      SgrNphmcParams params;
      params.step.size = 0.05;
      params.thermostat = {.mass = 2.5, .exponent = exponent, .temperature = 0.7, .degrees = 2};
      const SgrNphmc kernel(*c.target, geometry_of(c), {}, params);
      Vec x = c.x;
      auto s = kernel.init(x, Rng(1));
      const auto info = kernel.step(x, s, Rng(2));

      RiemannianNosePoincare flow(*c.target, c.geometry(), params.solver, params.thermostat);
      RiemannianThermostatPoint z(x.size(), c.geometry().diagonal());
      z.x = c.x;
      z.u = potential(*c.target, z.x, z.g);
      ASSERT_EQ(flow.locate(z), StepFailure::none);
      Stream momentum = Rng(2).stream("momentum");
      flow.refresh(momentum, z);
      z.reference = flow.energy(z);
      for (int i = 0; i < 10; ++i) ASSERT_EQ(flow.step(0.05, z), StepFailure::none) << c.name;
      EXPECT_LT((x - z.x).norm(), 1e-13) << c.name;
      EXPECT_GT((x - c.x).norm(), 1e-2) << c.name;
      EXPECT_NEAR(info.thermostat, z.q * flow.inverse_mass(z), 1e-13) << c.name;
      EXPECT_NEAR(s.z.log_s, z.log_s, 1e-13) << c.name;
    }
  }
}

// A step written out, with friction and noise too.
TEST(SgrNphmcCanonical, IsTheLeapfrogBetweenHalfStepsOfItsThermostat) {
  constexpr double e = 0.05, t = 0.7, heavy = 2.5;
  for (const test::Curved& c : test::curved_targets()) {
    const double tolerance = std::max(1e-12, c.rounding);
    for (const double friction : {0.0, 1.5}) {
      SgrNphmcCanonicalParams params;
      params.step.size = e;
      params.leapfrog_steps = 1;
      params.friction = friction;
      params.thermostat = {t, heavy};
      const SgrNphmcCanonical kernel(*c.target, geometry_of(c), {}, params);
      Vec x = c.x, noise(x.size());
      auto s = kernel.init(x, Rng(1));
      GeneralizedLeapfrog flow(*c.target, c.geometry(), params.solver, t);
      RiemannianPoint z(x.size(), c.geometry().diagonal());
      double q = 0;
      const auto push = [&] { q += e / 2 * (z.p.dot(z.v) - static_cast<double>(x.size()) * t); };
      const auto damp = [&] { z.p *= std::exp(-e * q / (2 * heavy)); };
      const auto mix = [&](Stream& normals) {
        z.metric.draw(normals, noise);
        z.p = std::exp(-friction * e / 2) * z.p + std::sqrt(t * (1 - std::exp(-friction * e))) * noise;
        z.metric.solve(z.p, z.v);
      };
      for (std::uint64_t i = 0; i < 10; ++i) {
        z.x = x;
        z.p = s.p;
        q = s.bath.q;
        z.u = potential(*c.target, z.x, z.g);
        ASSERT_EQ(flow.locate(z), StepFailure::none);
        kernel.step(x, s, Rng(2).at(i));
        Stream normals = Rng(2).at(i).stream("noise");
        z.metric.solve(z.p, z.v);
        push();
        damp();
        mix(normals);
        ASSERT_EQ(flow.step(e, z), StepFailure::none) << c.name;
        mix(normals);
        damp();
        z.metric.solve(z.p, z.v);
        push();
        ASSERT_LT((x - z.x).norm(), tolerance) << c.name;
        ASSERT_LT((s.p - z.p).norm(), tolerance) << c.name;
        ASSERT_NEAR(s.bath.q, q, tolerance) << c.name;
      }
    }
  }
}

// The search for a step size tries steps before the first trajectory: H0 is not theirs.
TEST(RnpHmc, PrintedReferenceIsThatOfTheFirstTrajectory) {
  const test::Curved c = test::positive_parameters();
  const RnpHmc kernel = kernel_on(c, RnpHmcParams::printed, 1);
  const auto reference = [&](bool searched) {
    Vec x = c.x;
    auto s = kernel.init(x, Rng(1));
    if (searched) kernel.log_accept(0.1, x, s, Rng(2));
    kernel.step(x, s, Rng(3));
    kernel.step(x, s, Rng(4));
    return s.reference;
  };
  EXPECT_EQ(reference(true), reference(false));
}

// k G with steps sqrt(k) e, frictions sqrt(k) A and sqrt(k) B and the thermostat's mass k^(1 - a D) Q: the same path.
TEST(SgrNphmc, AFactorOfTheMetricIsAnotherUnitOfTime) {
  const SamplerEntry& sampler = find_sampler("sgr-nphmc");
  const auto path = [&](Settings settings, const char* exponent, const char* mass) {
    settings.insert({{"metric_exponent", exponent}, {"thermostat_mass", mass}, {"solver", "newton"}});
    ChainSpec spec;
    spec.schedule = {0, 20, 1};
    spec.initial = Vec{{1.7, 2.3}};
    test::Collect draws;
    sampler.make(test::gamma({{"coordinates", "natural"}}), Config(sampler.name, sampler.params, settings), spec)
        ->run_to(20, draws, {});
    return Vec(Eigen::Map<const Vec>(draws.values.data(), std::ssize(draws.values)));
  };
  const Settings plain{{"step_size", "0.1"}, {"friction", "0.3"}, {"thermostat_friction", "0.2"}};
  const Settings fourfold{
      {"metric_scale", "4"}, {"step_size", "0.2"}, {"friction", "0.6"}, {"thermostat_friction", "0.4"}};
  EXPECT_LT((path(fourfold, "0", "6") - path(plain, "0", "1.5")).norm(), 1e-9);
  EXPECT_LT((path(fourfold, "1", "0.375") - path(plain, "1", "1.5")).norm(), 1e-9);
  EXPECT_GT((path(fourfold, "0", "1.5") - path(plain, "0", "1.5")).norm(), 0.1);
}

TEST(Samplers, ContinueBitForBitFromASavedState) {
  const std::pair<const char*, Settings> variants[] = {
      {"rnp-hmc", {}},
      {"rnp-hmc", {{"solver", "newton"}, {"metric_exponent", "1"}, {"temperature", "0.7"}}},
      {"rnp-hmc-printed", {{"step_size", "0.1"}, {"leapfrog_steps", "3"}}},
      {"sgr-nphmc", {{"step_size", "0.1"}, {"gradient_noise", "1"}, {"batch", "per_half_kick"}}},
      {"sgr-nphmc", {{"step_size", "0.1"}, {"metric_exponent", "1/D"}, {"metric_scale", "0.5"}}},
      {"sgr-nphmc-canonical", {{"step_size", "0.1"}, {"gradient_noise", "1"}, {"leapfrog_steps", "3"}}},
      {"sgr-nphmc-canonical", {{"step_size", "0.1"}, {"batch", "per_trajectory"}, {"noise_ratio", "2"}}}};
  for (const auto& [name, settings] : variants) {
    SCOPED_TRACE(name);
    const SamplerEntry& sampler = find_sampler(name);
    const Schedule schedule{40, 30, 1};
    const auto make = [&, &given = settings] {
      ChainSpec spec;
      spec.schedule = schedule;
      spec.initial = Vec{{1.7, 2.3}};
      return sampler.make(test::gamma({{"coordinates", "natural"}}), Config(sampler.name, sampler.params, given), spec);
    };
    test::expect_resumes_bit_for_bit(make, schedule.total(), {0, 1, 17, 40, 55});
  }
}

}  // namespace
}  // namespace quasar
