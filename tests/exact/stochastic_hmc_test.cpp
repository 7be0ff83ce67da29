// Stochastic-gradient samplers without statistics: a step by hand, friction in its three shapes, and for every such
// sampler, estimator and order of batches: resuming bit for bit, and no allocation in an iteration.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/registry.hpp>

#include "kernels/hmc/sghmc.hpp"
#include "kernels/hmc/sghmc_naive.hpp"
#include "kernels/thermostat/sgnht.hpp"
#include "support/allocations.hpp"
#include "support/regression.hpp"
#include "support/resuming.hpp"
#include "targets/quartic.hpp"

namespace quasar {
namespace {

static_assert(Kernel<Sghmc> && Kernel<SghmcNaive> && Kernel<Sgnht>);

Mat number(double value) { return Mat::Constant(1, 1, value); }

// U = t^4 - 2 t^2 from (0.5, 1) with step 0.1: t = 0.6, r = 1 + 0.1 * 1.536 - 0.3 and noise of variance 0.2 (3 - 0.2).
TEST(Sghmc, StepByHand) {
  QuarticProduct target("t", 1, 1, -2);
  for (const double temperature : {0.0, 1.0}) {
    SghmcParams params;
    params.step.size = 0.1;
    params.temperature = temperature;
    params.friction = Friction(1, number(3));
    params.noise_variance = number(4);
    const Sghmc kernel(target, {0, 1}, {}, params);
    const Rng rng(1);
    Vec t = Vec::Constant(1, 0.5);
    auto s = kernel.init(t, rng);
    s.p[0] = 1;
    kernel.step(t, s, rng.at(0));
    EXPECT_NEAR(t[0], 0.6, 1e-15);
    EXPECT_NEAR(s.p[0] - 0.8536, temperature * 0.748331477 * rng.at(0).stream("noise").normal(), 1e-9);
  }
}

TEST(Sghmc, ANewMomentumHasTheTemperature) {
  QuarticProduct target("t", 1, 1, -2);
  for (const bool refresh : {false, true}) {
    SghmcParams params;
    params.step.size = 0.1;
    params.temperature = 0.25;
    params.friction = Friction(1, number(3));
    params.refresh = refresh;
    const Sghmc kernel(target, {0, 1}, {}, params);
    const Rng rng(1);
    Vec t = Vec::Constant(1, 0.5);
    auto s = kernel.init(t, rng);
    s.p[0] = 7;
    kernel.step(t, s, rng.at(0));
    const double r = refresh ? 0.5 * rng.at(0).stream("momentum").normal() : 7;
    EXPECT_NEAR(t[0], 0.5 + 0.1 * r, 1e-15);
  }
}

// Without noise, however the kicks are shared out among batches, a trajectory is that of HMC, and so is its acceptance.
TEST(Naive, WithoutNoiseIsTheLeapfrog) {
  QuarticProduct target("t", 1, 1, -2);
  constexpr double e = 0.3;
  constexpr int steps = 3;
  const auto slope = [](double t) { return 4 * t * t * t - 4 * t; };
  const auto energy = [](double t, double r) { return t * t * t * t - 2 * t * t + r * r / 2; };
  const Rng rng(1);
  const double start = 1.1, start_r = rng.at(0).stream("momentum").normal();
  double t = start, r = start_r - e / 2 * slope(t);
  for (int i = 1; i <= steps; ++i) {
    t += e * r;
    r -= (i < steps ? e : e / 2) * slope(t);
  }
  for (const auto batch :
       {SghmcNaiveParams::per_half_kick, SghmcNaiveParams::per_gradient, SghmcNaiveParams::per_trajectory}) {
    SghmcNaiveParams params;
    params.step.size = e;
    params.leapfrog_steps = steps;
    params.metropolis = true;
    params.batch = batch;
    const SghmcNaive kernel(target, {0, 1}, {}, params);
    Vec x = Vec::Constant(1, start);
    auto s = kernel.init(x, rng);
    const auto info = kernel.step(x, s, rng.at(0));
    EXPECT_NEAR(s.proposed[0], t, 1e-14);
    EXPECT_NEAR(s.r[0], r, 1e-14);
    EXPECT_NEAR(info.accept_prob, std::min(1.0, std::exp(energy(start, start_r) - energy(t, r))), 1e-13);
    EXPECT_LT(info.accept_prob, 1);  // so that the sign is seen
  }
}

// p = 0.9 * 2 + 0.1 * 1.5 with xi = 1, mass 2; then x and the thermostat by the new p.
TEST(Sgnht, StepByHand) {
  QuarticProduct target("t", 1, 1, -2);
  struct Variant {
    SgnhtParams::Variant name;
    double damped, excess_of_square, excess;  // thermostat: p^2 excess_of_square - excess
  };
  for (const Variant& v : {Variant{SgnhtParams::a, 0.9, 0.5, 1},
                           {SgnhtParams::b, 0.95, 0.25, 0.5},
                           {SgnhtParams::printed, 0.95, 0.5, 1}}) {
    SgnhtParams params;
    params.step.size = 0.1;
    params.temperature = 0;
    params.variant = v.name;
    params.mass = diagonal_mass(Vec::Constant(1, 2));
    const Sgnht kernel(target, {0, 1}, {}, params);
    Vec t = Vec::Constant(1, 0.5);
    auto s = kernel.init(t, Rng(1));
    s.p[0] = 2;
    kernel.step(t, s, Rng(1).at(0));
    const double p = 2 * v.damped + 0.1 * 1.5;
    EXPECT_NEAR(s.p[0], p, 1e-15);
    EXPECT_NEAR(t[0], 0.5 + 0.1 * p / 2, 1e-15);
    EXPECT_NEAR(s.xi, 1 + 0.1 * (p * p * v.excess_of_square - v.excess), 1e-15);
  }
}

constexpr Index dim = 3;

struct Shapes {  // one matrix in the three shapes that can hold it
  std::vector<AnyMatrix> all;
  explicit Shapes(double c) : all{number(c), Vec::Constant(dim, c), c * Mat::Identity(dim, dim)} {}
};

// S of draws S z, from as many draws as there are coordinates.
Mat spread_of(const Friction& friction) {
  Mat drawn(dim, dim), z(dim, dim);
  for (Index i = 0; i < dim; ++i) {
    const Rng rng = Rng(2).at(static_cast<std::uint64_t>(i));
    Stream normals = rng.stream("noise");
    friction.draw(normals, drawn.col(i));
    rng.stream("noise").normals(z.col(i));
  }
  return drawn * z.inverse();
}

Mat noise_covariance(const Friction& friction) { return spread_of(friction) * spread_of(friction).transpose(); }

TEST(Friction, ShapesOfOneMatrixAgree) {
  for (const AnyMatrix& c : Shapes(3).all) {
    Vec r{{1, -2, 0.5}};
    Friction(dim, c).damp(0.1, MassMatrix(dim, true), r);
    EXPECT_LT((r - 0.7 * Vec{{1, -2, 0.5}}).norm(), 1e-15);
    for (const AnyMatrix& v : Shapes(4).all) {
      Friction friction(dim, c);
      ASSERT_TRUE(friction.renew_noise(0.1, 0.5, v));
      EXPECT_LT((noise_covariance(friction) - 0.1 * 2.8 * Mat::Identity(dim, dim)).norm(), 1e-12);
    }
  }
}

TEST(Friction, MixedAndDenseMatricesGiveTheirNoise) {
  const Mat c{{3, 1, 0}, {1, 2, -0.5}, {0, -0.5, 4}}, v{{4, 1, 2}, {1, 5, 0}, {2, 0, 6}};
  const Vec d{{5, 4, 3}};
  const Mat dense_d = d.asDiagonal();
  const double step = 0.2;
  struct Case {
    AnyMatrix c, v;
    Mat rest;
  };
  const Case cases[] = {
      {c, v, c - 0.1 * v},
      {c, d, c - 0.1 * dense_d},
      {d, v, dense_d - 0.1 * v},
      {d, number(4), dense_d - 0.4 * Mat::Identity(dim, dim)},
      {number(4), d, 4 * Mat::Identity(dim, dim) - 0.1 * dense_d},
  };
  for (const Case& test : cases) {
    Friction friction(dim, test.c);
    ASSERT_TRUE(friction.renew_noise(step, 1, test.v));
    EXPECT_LT((noise_covariance(friction) - 2 * step * test.rest).norm(), 1e-12);
  }
  Vec r{{1, -2, 0.5}};
  Friction(dim, c).damp(step, MassMatrix(dim, true), r);
  EXPECT_LT((r - (Mat::Identity(dim, dim) - step * c) * Vec{{1, -2, 0.5}}).norm(), 1e-15);
}

// B = e V/2: C = 1 takes up V = 10 at e = 0.2 and no more, however often it is asked.
TEST(Friction, SaysWhenTheNoiseIsTooMuch) {
  for (const AnyMatrix& c : Shapes(1).all) {
    for (const AnyMatrix& v : Shapes(1).all) {
      Friction friction(dim, c);
      EXPECT_TRUE(friction.renew_noise(0.2, 1, 10 * v));
      for (int asked = 0; asked < 2; ++asked) EXPECT_FALSE(friction.renew_noise(0.2, 1, 10.001 * v));
      EXPECT_TRUE(friction.renew_noise(0.1, 1, 10.001 * v));
    }
  }
  const Mat indefinite{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};
  EXPECT_FALSE(Friction(dim, indefinite).renew_noise(0.2, 1, number(0)));
}

using test::Variant;

std::vector<Settings> gradient_settings() {
  std::vector<Settings> all{{{"estimator", "full"}, {"gradient_noise", "4"}}};
  for (const char* estimator : {"minibatch", "control_variates", "svrg"}) {
    for (const char* order : {"with_replacement", "without_replacement", "shuffled"}) {
      all.push_back({{"estimator", estimator}, {"batch_order", order}, {"batch_size", "7"}});
    }
  }
  return all;
}

std::vector<Variant> all_variants() {
  std::vector<Variant> all{
      {"sghmc", {{"leapfrog_steps", "3"}, {"refresh", "true"}, {"batch", "per_trajectory"}}},
      {"sghmc", {{"noise_variance", "learned_scalar"}}},
      {"sghmc", {{"friction", "9,1,0,0,1,9,0,0,0,0,8,0,0,0,0,7"}, {"step_size", "0.01"}, {"noise_variance", "4"}}},
      {"sghmc-naive", {{"metropolis", "true"}, {"batch", "per_half_kick"}}},
      {"sghmc", {{"mass", "1,2,1,3"}}},
      {"sgnht", {{"variant", "b"}, {"mass", "1,2,1,3"}}},
      {"sg-nphmc", {{"inject", "true"}, {"batch", "per_half_kick"}, {"mass", "1,2,1,3"}}},
      {"sg-nphmc", {{"mass", "9,1,0,0,1,9,0,0,0,0,8,0,0,0,0,7"}, {"batch", "per_trajectory"}}},
      {"sg-nphmc-canonical", {{"leapfrog_steps", "3"}, {"refresh", "true"}, {"batch", "per_trajectory"}}},
      {"sg-nphmc-canonical", {{"mass", "9,1,0,0,1,9,0,0,0,0,8,0,0,0,0,7"}, {"noise_variance", "0"}}},
      {"sgnht", {{"leapfrog_steps", "3"}, {"batch", "per_trajectory"}}},
      {"sghmc-em", {{"em_samples", "8"}, {"em_max_change", "2"}}},
      {"sghmc-em", {{"em_samples", "8"}, {"mass_shape", "diagonal"}, {"em_subsample", "all"}}},
      {"sgnht-em", {{"em_samples", "8"}, {"variant", "printed"}, {"em_max_change", "2"}, {"step_size", "0.01"}}},
      {"sgnht-em", {{"em_samples", "8"}, {"em_correction", "true"}, {"freeze", "true"}}},
      {"sg-nphmc-em", {{"em_samples", "8"}}},
      {"sghmc", {{"mass", "fisher"}, {"batch_size", "7"}}},
      {"sg-nphmc-canonical", {{"mass", "fisher"}, {"batch_size", "7"}}},
      {"sgnht", {{"mass", "fisher"}, {"batch_size", "7"}, {"step_size", "0.01"}}},
      {"sgr-nphmc", {{"metric_exponent", "1"}, {"thermostat_mass", "1"}, {"batch", "per_half_kick"}}},
      {"sgr-nphmc", {{"geometry", "softabs"}, {"batch", "per_trajectory"}, {"metric_scale", "0.5"}}},
      {"sgr-nphmc-canonical", {{"leapfrog_steps", "3"}, {"batch", "per_trajectory"}, {"noise_ratio", "2"}}},
      {"sgld", {{"schedule", "cyclical"}, {"period", "13"}}},
  };
  for (const SamplerEntry& sampler : samplers()) {
    if (!sampler.stochastic || sampler.blocked) continue;
    for (const Settings& gradient : gradient_settings()) all.push_back({std::string(sampler.name), gradient});
  }
  return all;
}

class Chains : public testing::Test {
 protected:
  std::unique_ptr<Chain> chain(const Variant& variant, const Schedule& schedule) const {
    const SamplerEntry& sampler = find_sampler(variant.sampler);
    ChainSpec spec;
    spec.schedule = schedule;
    return sampler.make(target->fork(), Config(sampler.name, sampler.params, variant.settings), spec);
  }
  std::unique_ptr<Target> target = test::logistic(test::make_table(60, dim, true));
};

TEST_F(Chains, ContinueBitForBitFromASavedState) {
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.name());
    const Schedule schedule{20, 60, 1};
    test::expect_resumes_bit_for_bit([&] { return chain(variant, schedule); }, schedule.total(), {0, 1, 20, 47});
  }
}

TEST_F(Chains, AllocateNothingPerIteration) {
  struct Discard final : Sink {
    void on_draw(const Draw&) override {}
  } sink;
  for (const Variant& variant : all_variants()) {
    const auto made = chain(variant, {20, 200, 1});
    made->run_to(50, sink, {});
    const long before = test::allocation_count;
    made->run_to(220, sink, {});
    EXPECT_EQ(test::allocation_count - before, 0) << variant.name();
  }
  EXPECT_GT(test::allocation_count, 0);  // the counter counts
}

}  // namespace
}  // namespace quasar
