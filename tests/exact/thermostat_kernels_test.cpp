// The kernels with a thermostat take the steps of its map and no others, a step at a time and written out.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adapt/warmup.hpp"
#include "kernels/thermostat/nh_hmc.hpp"
#include "kernels/thermostat/np_hmc.hpp"
#include "kernels/thermostat/sg_nphmc.hpp"
#include "kernels/thermostat/sg_nphmc_canonical.hpp"
#include "support/thermostat_points.hpp"

namespace quasar {
namespace {

using namespace test::thermostat;

static_assert(Kernel<NpHmc<Diagonal>> && Kernel<NhHmc<Diagonal>> && Kernel<SgNphmc> && Kernel<SgNphmcCanonical>);

// What Metropolis compares is the density of (x, p/s, q, h) times the change of volume, whatever g is; in warm-up that
// of (x, p/s, q), from h = 0.
TEST(NpHmc, AcceptsByTheLawWithTheOffset) {
  test::SkewedTarget target;
  constexpr double step = 0.4, offset_sd = 0.6;
  for (const bool settling : {false, true}) {
    for (const double degrees : {3.0, 4.0}) {
      NpHmcParams<Diagonal> params;
      params.metric = metric();
      params.dynamics = {.degrees = degrees, .temperature = temperature, .thermostat_mass = 2.5};
      params.offset_sd = offset_sd;
      params.settling = settling;
      const NpHmc<Diagonal> kernel(target, {0, dim}, params);
      auto s = kernel.init(x0, Rng(1));
      const double log_ratio = kernel.log_accept(step, x0, s, Rng(2));

      Vec v(dim), flat(2 * dim + 2);
      Stream velocity = Rng(2).stream("velocity"), thermostat = Rng(2).stream("thermostat");
      params.metric.draw(velocity, v);
      flat << x0, 1, std::sqrt(temperature) * v.cwiseProduct(mass), std::sqrt(temperature * 2.5) * thermostat.normal();
      const double e = settling ? 0 : offset_sd * thermostat.normal();
      NosePoincare np = params.dynamics;
      np.offset = hamiltonian(target, np, flat) - e;  // s = 1
      Point at = point(target, flat);
      ASSERT_TRUE(nose_poincare_step(np, Forces{target}, {0, dim}, step, at.z, at.t));
      const double end_e = hamiltonian(target, np, at.flat()) / std::exp(at.t.log_s);
      const double canonical = (e - end_e) / temperature + (degrees - dim) * at.t.log_s;
      const double offsets = at.t.log_s + (end_e * end_e - e * e) / (2 * offset_sd * offset_sd);
      EXPECT_NEAR(log_ratio, settling ? canonical : canonical - offsets, 1e-12);
    }
  }
}

TEST(NpHmc, SettlesInWarmUpOnly) {
  test::SkewedTarget target;
  NpHmcParams<Diagonal> params;
  params.metric = metric();
  NpHmc<Diagonal> kernel(target, {0, dim}, params);
  Vec x = x0;
  auto s = kernel.init(x, Rng(1));
  StepSizeWarmup warmup(0.8, false);
  EXPECT_FALSE(kernel.params().settling);
  warmup.update(kernel, x, s, kernel.step(x, s, Rng(2)), Rng(3));
  EXPECT_TRUE(kernel.params().settling);
  warmup.finish(kernel, x, s);
  EXPECT_FALSE(kernel.params().settling);
}

// The flow keeps s h and not h: however short the steps, acceptance stays away from 1, and what they are learned from
// does not.
TEST(NpHmc, LearnsItsStepSizeFromTheErrorOfTheStepsAlone) {
  test::SkewedTarget target;
  NpHmcParams<Diagonal> params;
  params.metric = metric();
  params.step_size = 1e-3;
  params.leapfrog_steps = 1500;
  params.dynamics = {.degrees = dim};
  const NpHmc<Diagonal> kernel(target, {0, dim}, params);
  Vec x = x0;
  auto s = kernel.init(x, Rng(1));
  double accepted = 0, step_accepted = 0, error = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto info = kernel.step(x, s, Rng(2).at(i));
    accepted += info.accept_prob / 50;
    step_accepted += step_acceptance(info) / 50;
    error = std::max(error, std::abs(info.energy_error));
  }
  EXPECT_LT(accepted, 0.9);
  EXPECT_NEAR(step_accepted, 1, 1e-4);
  EXPECT_LT(error, 1e-4);
}

// The flow ends with h' = h/s', and h'^2/(2 d^2) is large where s' is small: a rejection, not a failure of the steps.
TEST(NpHmc, DivergesOnlyWhereTheStepsAreTooLong) {
  test::SkewedTarget target;
  const auto divergences = [&](double step_size, std::int64_t steps, double offset_sd) {
    NpHmcParams<Diagonal> params;
    params.metric = metric();
    params.step_size = step_size;
    params.leapfrog_steps = steps;
    params.dynamics = {.degrees = dim};
    params.offset_sd = offset_sd;
    const NpHmc<Diagonal> kernel(target, {0, dim}, params);
    Vec x = x0;
    auto s = kernel.init(x, Rng(1));
    int diverged = 0;
    for (std::uint64_t i = 0; i < 200; ++i) diverged += kernel.step(x, s, Rng(2).at(i)).diverged;
    return diverged;
  };
  EXPECT_EQ(divergences(0.01, 150, 0.3), 0);
  EXPECT_EQ(divergences(0.5, 3, 1e-3), 0);
  EXPECT_GT(divergences(1, 3, 1e-3), 0);
}

SgNphmcParams noiseless(double step) {
  SgNphmcParams params;
  params.step.size = step;
  params.mass = MassMatrix(dim, true);
  EXPECT_TRUE(params.mass.set(mass));
  params.temperature = temperature;
  params.thermostat_mass = 2.5;
  params.friction = params.thermostat_friction = 0;
  params.leapfrog_steps = 5;
  return params;
}

// Where an iteration of SgNphmc starts: s = 1, h = 0, momenta by name.
struct Begun {
  Point at;
  NosePoincare np = dynamics();
  Begun(Target& target, const MassMatrix& m, const Rng& rng) {
    Stream momentum = rng.stream("momentum"), thermostat = rng.stream("thermostat");
    Vec p(dim), flat(2 * dim + 2);
    m.draw(momentum, p);
    flat << x0, 1, std::sqrt(temperature) * p, std::sqrt(temperature * 2.5) * thermostat.normal();
    at = point(target, flat);
    np.offset = np.energy(at.z.u, at.z.p.dot(at.z.v), at.t);
  }
};

TEST(SgNphmc, WithoutNoiseAndFrictionIsTheDeterministicMap) {
  test::SkewedTarget target;
  for (const auto batch : {SgNphmcParams::per_half_kick, SgNphmcParams::per_gradient, SgNphmcParams::per_trajectory}) {
    SgNphmcParams params = noiseless(0.1);
    params.batch = batch;
    const SgNphmc kernel(target, {0, dim}, {}, params);
    Vec x = x0;
    auto s = kernel.init(x, Rng(1));
    const auto info = kernel.step(x, s, Rng(2));
    const Begun begun(target, params.mass, Rng(2));
    const Point end = travelled(begun.at, target, begun.np, 0.1, 5);
    EXPECT_LT((x - end.z.x).norm(), 1e-13);
    EXPECT_LT((s.p - std::exp(-end.t.log_s) * end.z.p).norm(), 1e-13);
    EXPECT_NEAR(s.q, end.t.q, 1e-13);
    EXPECT_NEAR(info.log_s, end.t.log_s, 1e-13);
    EXPECT_EQ(info.too_long, 0);
  }
}

TEST(SgNphmc, HoldsABatchAsLongAsAsked) {
  test::SkewedTarget target;
  struct Case {
    SgNphmcParams::Batch batch;
    std::int64_t batches;  // in an iteration of five steps
  };
  for (const Case& test :
       {Case{SgNphmcParams::per_half_kick, 10}, {SgNphmcParams::per_gradient, 6}, {SgNphmcParams::per_trajectory, 1}}) {
    SgNphmcParams params = noiseless(0.1);
    params.batch = test.batch;
    const SgNphmc kernel(target, {0, dim}, {}, params);
    Vec x = x0;
    auto s = kernel.init(x, Rng(1));
    kernel.step(x, s, Rng(2));
    EXPECT_EQ(s.estimate.batch + 1, test.batches);
  }
}

// One step with both frictions, its equations written out; also with a mass that is a matrix.
TEST(SgNphmc, FrictionsEnterImplicitlyFirstAndExplicitlyThen) {
  test::SkewedTarget target;
  constexpr double e = 0.2, a = 1.5, b = 0.8, heavy = 2.5;
  const Mat dense{{2, 0.3, 0}, {0.3, 0.5, -0.1}, {0, -0.1, 1.25}};
  for (const bool is_dense : {false, true}) {
    SgNphmcParams params = noiseless(e);
    const Mat m = is_dense ? dense : Mat(mass.asDiagonal());
    params.mass = MassMatrix(dim, !is_dense);
    ASSERT_TRUE(params.mass.set(is_dense ? m : Mat(mass)));
    params.leapfrog_steps = 1;
    params.friction = b;
    params.thermostat_friction = a;
    const SgNphmc kernel(target, {0, dim}, {}, params);
    Vec x = x0;
    auto s = kernel.init(x, Rng(1));
    kernel.step(x, s, Rng(2));

    const Mat inverse = m.inverse();
    Stream momentum = Rng(2).stream("momentum"), thermostat = Rng(2).stream("thermostat");
    Vec p(dim), g(dim);
    params.mass.draw(momentum, p);
    p *= std::sqrt(temperature);
    const double q = std::sqrt(temperature * heavy) * thermostat.normal(), u = potential(target, x0, g);
    const double offset = u + p.dot(inverse * p) / 2 + q * q / (2 * heavy);
    const Vec half_p = (Mat::Identity(dim, dim) + e / 2 * b * inverse).inverse() * (p - e / 2 * g);
    const double kinetic = half_p.dot(inverse * half_p) / 2, gkt = dim * temperature;
    const double beta = 1 + e * a / (2 * heavy), c = q + e / 2 * (kinetic - u - gkt + offset);
    const double half_q = 2 * c / (beta + std::sqrt(beta * beta + e * c / heavy)), ratio = e * half_q / (2 * heavy);
    const double end_s = (1 + ratio) / (1 - ratio);
    const Vec end_x = x0 + e / 2 * (1 + 1 / end_s) * inverse * half_p;
    const double end_u = potential(target, end_x, g);
    const Vec end_p = half_p - e / 2 * (end_s * g + b / std::sqrt(end_s) * inverse * half_p);
    const double slope = offset - end_u + kinetic / (end_s * end_s) - gkt * (1 + std::log(end_s)) -
                         a * end_s / heavy * half_q - half_q * half_q / (2 * heavy);
    EXPECT_LT((x - end_x).norm(), 1e-13);
    EXPECT_LT((s.p - end_p / end_s).norm(), 1e-13);
    EXPECT_NEAR(s.q, half_q + e / 2 * slope, 1e-13);
  }
}

// Momenta get s N(0, 2 e (T C - e V/2)) a step, V halved where every half kick has its own.
TEST(SgNphmc, InjectsTheNoiseThatIsMissing) {
  test::SkewedTarget target;
  constexpr double e = 0.1, c = 3;
  const Vec v{{4, 10, 100}};  // the last is more than the friction wants
  for (const auto batch : {SgNphmcParams::per_half_kick, SgNphmcParams::per_gradient}) {
    SgNphmcParams params = noiseless(e);
    params.leapfrog_steps = 1;
    params.friction = c;
    params.batch = batch;
    params.noise.given = v;
    const auto momentum = [&](bool inject) {
      params.inject = inject;
      const SgNphmc kernel(target, {0, dim}, {}, params);
      Vec x = x0;
      auto s = kernel.init(x, Rng(1));
      kernel.step(x, s, Rng(2));
      return s.p;
    };
    Vec z(dim);
    Rng(2).stream("noise").normals(z);
    const double share = batch == SgNphmcParams::per_half_kick ? 0.5 : 1;
    const Vec variance = (2 * e * (temperature * c - e / 2 * share * v.array())).max(0);
    EXPECT_LT((momentum(true) - momentum(false) - variance.cwiseSqrt().cwiseProduct(z)).norm(), 1e-13);
  }
}

// A step that is too long is taken in two halves; where one of them is too long as well the orbit turns round where it
// was, and is counted.
TEST(SgNphmc, HalvesAStepThatIsTooLongAndElseTurnsRound) {
  test::SkewedTarget target;
  int halved = 0, turned = 0, turned_half_way = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const double step : {1.5, 3.0, 6.0, 40.0}) {
      SgNphmcParams params = noiseless(step);
      params.leapfrog_steps = 1;
      const SgNphmc kernel(target, {0, dim}, {}, params);
      const Rng rng = Rng(seed);
      Vec x = x0;
      auto s = kernel.init(x, rng);
      const auto info = kernel.step(x, s, rng);
      const Begun begun(target, params.mass, rng);
      Point end = begun.at;
      const auto moves = [&](double e) {
        Point next = end;
        if (!nose_poincare_step(begun.np, Forces{target}, {0, dim}, e, next.z, next.t)) return false;
        end = next;
        return true;
      };
      if (moves(step)) continue;
      const bool in_halves = moves(step / 2) && moves(step / 2);
      const double sign = in_halves ? 1 : -1;
      if (!in_halves) {
        turned_half_way += end.z.x != begun.at.z.x;
        end = begun.at;
      }
      ++(in_halves ? halved : turned);
      EXPECT_EQ(info.too_long, in_halves ? 0 : 1);
      EXPECT_LT((x - end.z.x).norm(), 1e-12 * end.z.x.norm());
      EXPECT_LT((s.p - sign * std::exp(-end.t.log_s) * end.z.p).norm(), 1e-11 * s.p.norm());
      EXPECT_NEAR(s.q, sign * end.t.q, 1e-11 * std::abs(s.q));
    }
  }
  EXPECT_GT(halved, 0);
  EXPECT_GT(turned, turned_half_way);
  EXPECT_GT(turned_half_way, 0);
}

SgNphmcCanonicalParams canonical(double step) {
  SgNphmcCanonicalParams params;
  params.step.size = step;
  params.mass = MassMatrix(dim, true);
  EXPECT_TRUE(params.mass.set(mass));
  params.temperature = temperature;
  params.thermostat_mass = 2.5;
  params.friction = 0;
  return params;
}

TEST(SgNphmcCanonical, WithoutNoiseAndFrictionIsTheNoseHooverStep) {
  test::SkewedTarget target;
  const SgNphmcCanonical kernel(target, {0, dim}, {}, canonical(0.1));
  Vec x = x0;
  auto s = kernel.init(x, Rng(1));
  Vec flat(2 * dim + 2);
  flat << x0, 1, s.p, 0;
  Point at = point(target, flat);
  for (std::uint64_t i = 0; i < 20; ++i) {
    kernel.step(x, s, Rng(2).at(i));
    at = nose_hoover_travelled(at, target, nose_hoover, 0.1, 1);
    ASSERT_LT((x - at.z.x).norm(), 1e-12);
    ASSERT_LT((s.p - at.z.p).norm(), 1e-12);
    ASSERT_NEAR(s.bath.q, at.t.q, 1e-12);
  }
}

// One step with friction and noise, its equations written out; a dense mass that happens to be diagonal is the same.
TEST(SgNphmcCanonical, StepByHand) {
  test::SkewedTarget target;
  constexpr double e = 0.1, rate = 2, heavy = 2.5;
  for (const Vec& v : {Vec(Vec::Zero(dim)), Vec{{4, 10, 500}}}) {
    for (const bool dense : {false, true}) {
      if (dense && !v.isZero(0)) continue;
      SgNphmcCanonicalParams params = canonical(e);
      params.friction = rate;
      params.noise.given = v;
      params.mass = MassMatrix(dim, !dense);
      ASSERT_TRUE(params.mass.set(dense ? Mat(mass.asDiagonal()) : Mat(mass)));
      const SgNphmcCanonical kernel(target, {0, dim}, {}, params);
      Vec x = x0;
      auto s = kernel.init(x, Rng(1));
      s.bath.q = start_q;
      Vec p = s.p, g(dim), z(dim);
      kernel.step(x, s, Rng(2));

      const auto heat = [&] { return (p.array().square() / mass.array()).sum() - dim * temperature; };
      potential(target, x0, g);
      double q = start_q + e / 2 * heat();
      p = std::exp(-e * q / (2 * heavy)) * p - e / 2 * g;
      Vec y = x0 + e / 2 * p.cwiseQuotient(mass);
      Rng(2).stream("noise").normals(z);
      const Vec variance = (temperature * (1 - std::exp(-2 * rate * e)) * mass.array() - e * e * v.array()).max(0);
      p = std::exp(-rate * e) * p + variance.cwiseSqrt().cwiseProduct(z);
      y += e / 2 * p.cwiseQuotient(mass);
      potential(target, y, g);
      p = std::exp(-e * q / (2 * heavy)) * (p - e / 2 * g);
      q += e / 2 * heat();
      EXPECT_LT((x - y).norm(), 1e-13);
      EXPECT_LT((s.p - p).norm(), 1e-13);
      EXPECT_NEAR(s.bath.q, q, 1e-13);
    }
  }
}

TEST(SgNphmcCanonical, RefreshesBothMomentaIfAsked) {
  test::SkewedTarget target;
  SgNphmcCanonicalParams params = canonical(1e-9);
  params.refresh = true;
  const SgNphmcCanonical kernel(target, {0, dim}, {}, params);
  Vec x = x0, p(dim);
  auto s = kernel.init(x, Rng(1));
  kernel.step(x, s, Rng(2));
  Stream momentum = Rng(2).stream("momentum"), thermostat = Rng(2).stream("thermostat");
  params.mass.draw(momentum, p);
  EXPECT_LT((s.p - std::sqrt(temperature) * p).norm(), 1e-7);
  EXPECT_NEAR(s.bath.q, std::sqrt(temperature * 2.5) * thermostat.normal(), 1e-7);
}

}  // namespace
}  // namespace quasar
