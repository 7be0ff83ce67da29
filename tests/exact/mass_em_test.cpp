// Monte Carlo EM of a mass by hand: M-steps, their limits, the test that lets S grow, momenta on either side of the
// Metropolis test; and what a mass is in a step.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "adapt/learned_mass.hpp"
#include "kernels/hmc/mass_hmc.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/thermostat/sgnht.hpp"
#include "support/error_message.hpp"
#include "support/statistics.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

static_assert(Kernel<MassHmc> && Kernel<LearnedMass<MassHmc>> && Kernel<LearnedMass<Sghmc>> &&
              Kernel<LearnedMass<Sgnht>>);

constexpr Index dim = 3;
const Mat some_mass{{2, 0.5, 0}, {0.5, 1, -0.3}, {0, -0.3, 3}};

MassMatrix dense(const Mat& m) {
  MassMatrix mass(m.rows(), false);
  mass.set(m);
  return mass;
}

Mat momenta(Index count, std::uint64_t seed = 1) {
  Mat p(dim, count);
  Stream normals = Rng(seed).stream("momenta");
  for (Index i = 0; i < count; ++i) normals.normals(p.col(i));
  return p;
}

void add_all(const Mat& p, MassEm& em, MassMatrix& mass) {
  for (Index i = 0; i < p.cols(); ++i) {
    const Vec one = p.col(i);
    em.add({one}, mass, Rng(2).at(static_cast<std::uint64_t>(i)));
  }
}

constexpr double ridge = 1e-9;  // what the ridge may change

TEST(MassEm, TwoMStepsByHand) {
  for (const double exponent : {0.0, 0.7}) {
    for (const bool corrected : {false, true}) {
      MassMatrix mass = dense(some_mass), diagonal = diagonal_mass(some_mass.diagonal());
      const MassEmSettings settings{.samples = 8, .exponent = exponent, .corrected = corrected, .growth = 0};
      MassEm em(mass, settings), diagonal_em(diagonal, settings);
      Mat inverse = some_mass.inverse();
      Vec inverses = some_mass.diagonal().cwiseInverse();
      for (int k = 1; k <= 2; ++k) {
        const double kappa = exponent > 0 ? std::pow(k, -exponent) : 1.0 / (k + 1);
        const Mat p = momenta(8, static_cast<std::uint64_t>(k));
        add_all(p, em, mass);
        add_all(p, diagonal_em, diagonal);
        const Mat covariance = p * p.transpose() / 8;
        inverse = (1 - kappa) * inverse + kappa * (corrected ? 4 / 8.0 : 1) * covariance.inverse();
        inverses = (1 - kappa) * inverses + kappa * (corrected ? 6 / 8.0 : 1) * covariance.diagonal().cwiseInverse();
        EXPECT_EQ(em.updates(), k);
        EXPECT_LT((mass.matrix() - inverse.inverse()).norm(), ridge);
        EXPECT_LT((diagonal.matrix() - inverses.cwiseInverse()).norm(), ridge);
      }
    }
  }
}

TEST(MassEm, TheThermostatLearnsItsMassAlike) {
  MassMatrix mass(dim, true);
  MassEm em(mass, {.samples = 4, .corrected = true, .growth = 0}, 5);
  const Vec p = Vec::Ones(dim);
  double inverse = 1 / 5.0;
  for (const double kappa : {1 / 2.0, 1 / 3.0}) {
    for (const double q : {1.0, -2.0, 3.0, 0.5}) em.add({.p = p, .q = q}, mass, Rng(1));
    inverse = (1 - kappa) * inverse + kappa * (2 / 4.0) * 4 / 14.25;
    EXPECT_NEAR(1 / em.thermostat_mass(), inverse, 1e-15);
  }
}

TEST(MassEm, StopsAfterItsIterations) {
  MassMatrix mass(dim, false);
  MassEm em(mass, {.samples = 8, .growth = 0, .iterations = 8 + 7});
  add_all(momenta(8), em, mass);
  const Mat learned = mass.matrix();
  add_all(3 * momenta(40), em, mass);
  EXPECT_EQ(em.updates(), 1);
  EXPECT_EQ(mass.matrix(), learned);
}

// Learning that is to end with warm-up must not go on beyond it because some iterations had nothing to learn from.
TEST(MassEm, AnIterationWithoutAFiniteMomentumCountsToo) {
  MassMatrix mass(dim, false);
  MassEm em(mass, {.samples = 8, .growth = 0, .iterations = 10});
  add_all(Mat::Constant(dim, 4, std::numeric_limits<double>::infinity()), em, mass);
  add_all(momenta(40), em, mass);
  EXPECT_EQ(em.updates(), 0);
  EXPECT_EQ(mass.matrix(), Mat::Identity(dim, dim));
}

TEST(MassEm, TooFewMomentaAreRefused) {
  EXPECT_NO_THROW(check_mass_em({.samples = 5}, 3, false));
  EXPECT_NO_THROW(check_mass_em({.samples = 3}, 50, true));
  EXPECT_THROW(check_mass_em({.samples = 2}, 50, true), UsageError);
  EXPECT_EQ(test::error_message<UsageError>([] { check_mass_em({.samples = 4}, 3, false); }),
            "em_samples=4 momenta cannot tell a dense mass of 3 coordinates: more than 4 are needed, or "
            "mass_shape=diagonal");
}

TEST(MassEm, NoMassChangesByMoreThanTheLimit) {
  for (const double scale : {1e-3, 0.3, 1.0, 3.0, 1e3}) {
    MassMatrix mass = dense(some_mass), diagonal = diagonal_mass(some_mass.diagonal());
    const MassEmSettings settings{.samples = 8, .exponent = 0.6, .max_change = 1.5, .growth = 0};  // kappa_1 = 1
    MassEm em(mass, settings), diagonal_em(diagonal, settings);
    const Vec uneven{{1, 10 * scale, scale}};
    add_all(uneven.asDiagonal() * momenta(8), em, mass);
    add_all(uneven.asDiagonal() * momenta(8), diagonal_em, diagonal);
    const Vec ratios =
        Eigen::GeneralizedSelfAdjointEigenSolver<Mat>(mass.matrix(), some_mass, Eigen::EigenvaluesOnly).eigenvalues();
    EXPECT_LT(ratios.maxCoeff(), 1.5 * (1 + ridge));
    EXPECT_GT(ratios.minCoeff(), 1 / 1.5 * (1 - ridge));
    const Vec diagonal_ratios = diagonal.matrix().col(0).cwiseQuotient(some_mass.diagonal());
    EXPECT_LT(diagonal_ratios.maxCoeff(), 1.5 * (1 + ridge));
    EXPECT_GT(diagonal_ratios.minCoeff(), 1 / 1.5 * (1 - ridge));
    const double most = std::max(ratios.maxCoeff(), 1 / ratios.minCoeff());
    EXPECT_GT(most, 1.5 * (1 - 1e-3)) << "one limit is reached";
  }
}

TEST(MassEm, AMassThatIsNoneStopsTheRun) {
  for (const double value : {0.0, 1e200}) {
    MassMatrix mass(dim, false);
    MassEm em(mass, {.samples = 8, .growth = 0});
    EXPECT_THROW(add_all(Mat::Constant(dim, 8, value), em, mass), Diverged);
  }
}

// The largest multiple of a change that the interval covers, entry by entry.
TEST(TestVector, CoversWhatTheIntervalDoes) {
  const Mat p = momenta(7), g = momenta(7, 5), inverse = some_mass.inverse();
  const Mat change{{0.3, 0.1, 0}, {0.1, -0.2, 0.05}, {0, 0.05, 0.4}};
  constexpr double z = 1.6;
  const auto ratio = [&](const Mat& values,
                         const Mat& shifts) {  // rows: entries; of |shift| to half-width, the largest
    double largest = 0;
    for (Index i = 0; i < values.rows(); ++i) {
      const auto row = values.row(i).array();
      const double width = z * std::sqrt((row - row.mean()).square().sum() / 6 / 7);
      largest = std::max(largest, std::abs(shifts.row(i).mean()) / width);
    }
    return largest;
  };
  const Vec xi{{1, 0.5, 2, -1, 3, 0.2, 1}};
  const Mat kinetic = p.cwiseProduct(inverse * p).colwise().sum(), shifted = p.cwiseProduct(change * p).colwise().sum();
  const double velocity_ratio = ratio(inverse * p, change * p), kinetic_ratio = ratio(kinetic, shifted);
  const double force_ratio = ratio(g - inverse * p * xi.asDiagonal(), change * p * xi.asDiagonal());
  struct Case {
    bool thermostat, friction;
    double ratio;
  };
  for (const Case& test : {Case{false, false, velocity_ratio},
                           {true, false, std::max(velocity_ratio, kinetic_ratio)},
                           {true, true, std::max({velocity_ratio, kinetic_ratio, force_ratio})},
                           {false, true, std::max(velocity_ratio, force_ratio)}}) {
    TestVector vector(dim);
    EXPECT_FALSE(vector.covers(Mat::Zero(dim, dim), z));
    for (Index i = 0; i < 7; ++i) {
      const Vec momentum = p.col(i), gradient = g.col(i);
      vector.add({momentum, test.thermostat, test.friction ? xi[i] : 0, &gradient}, inverse);
    }
    EXPECT_TRUE(vector.covers(change * 0.999 / test.ratio, z));
    EXPECT_FALSE(vector.covers(change * 1.001 / test.ratio, z));
  }
}

std::int64_t samples_after(const MassEmSettings& settings, const Mat& p) {
  MassMatrix mass(dim, true);
  MassEm em(mass, settings);
  add_all(p, em, mass);
  return em.samples();
}

TEST(MassEm, SGrowsByItsShareWhereTheChangeIsLostInTheNoise) {
  const Mat p = momenta(25);
  EXPECT_EQ(samples_after({.samples = 25, .subsample = false}, p), 28);
  EXPECT_EQ(samples_after({.samples = 25, .growth = 0, .subsample = false}, p), 25);
  EXPECT_EQ(samples_after({.samples = 25, .alpha = 1, .subsample = false}, p), 25);  // no width, as published
  EXPECT_EQ(samples_after({.samples = 25, .subsample = false}, (10 * p).array() + 50), 25);
  EXPECT_EQ(samples_after({.samples = 25, .rate = 0}, p), 28);  // every one, too
  // Momenta that are far from the rest are seen only if they are looked at: the first is, at rate 0.
  EXPECT_EQ(samples_after({.samples = 25, .rate = 1e5}, p), 25);  // none is
}

std::int64_t counter_of(const MassEm& em, std::string_view name) {
  std::int64_t found = -1;
  MassEm::fields(em, [&](std::string_view field, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::int64_t&>) found = field == name ? value : found;
  });
  return found;
}

// Where the first momentum is looked at, one iteration draws two distances.
TEST(MassEm, DistancesBetweenMomentaOfTheIntervalAreIndependent) {
  const Vec p = Vec::Ones(dim);
  int looked_at = 0, next_is_near = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    MassMatrix mass(dim, true);
    MassEm em(mass, {.rate = 1, .power = 0});
    em.add({p}, mass, Rng(seed));
    if (counter_of(em, "tested") == 0) continue;
    ++looked_at;
    if (counter_of(em, "next_tested") == 2) ++next_is_near;
  }
  const auto near_by_chance = [](int count, int of) {  // P(Poisson(1) = 0) = 1/e
    const double share = std::exp(-1), error = std::sqrt(share * (1 - share) / of);
    return std::abs(static_cast<double>(count) / of - share) < test::z_threshold(1e-4) * error;
  };
  EXPECT_TRUE(near_by_chance(looked_at, 1000)) << looked_at;
  EXPECT_TRUE(near_by_chance(next_is_near, looked_at)) << next_is_near << " of " << looked_at;
}

// A rejected trajectory leaves the momentum it started with, or the one it ended with.
TEST(MassHmc, KeepsTheMomentumOnEitherSideOfTheMetropolisTest) {
  const Rng rng(3);
  Vec start_p(dim);
  Stream velocity = rng.at(0).stream("velocity");
  dense(some_mass).draw(velocity, start_p);
  for (const double step : {0.01, 6.0}) {
    for (const auto momenta_of : {MassHmcParams::after_metropolis, MassHmcParams::before_metropolis}) {
      test::SkewedTarget target;
      MassHmcParams params;
      params.mass = dense(some_mass);
      params.step_size = step;
      params.leapfrog_steps = 2;
      params.jitter = 0;
      params.momenta = momenta_of;
      const MassHmc kernel(target, {0, dim}, params);
      Vec x{{0.1, 0.2, -0.3}}, g(dim);
      const Vec start = x;
      auto s = kernel.init(x, rng);
      kernel.step(x, s, rng.at(0));
      Vec at = start, p = start_p;
      for (int i = 0; i < 2; ++i) {
        target.logp_grad(at, g);
        p += step / 2 * g;
        at += step * some_mass.inverse() * p;
        target.logp_grad(at, g);
        p += step / 2 * g;
      }
      const bool accepted = step < 1;
      EXPECT_EQ(x == start, !accepted);
      const bool ends = accepted || momenta_of == MassHmcParams::before_metropolis;
      EXPECT_LT((s.p - (ends ? p : start_p)).norm(), 1e-12 * (1 + p.norm()));
      EXPECT_LT((x - (accepted ? at : start)).norm(), 1e-13);
    }
  }
}

// x <- x + e M^-1 p, p <- p + e g(x) - e C M^-1 p, in every shape of C and M.
TEST(Sghmc, AStepWithAMass) {
  const Mat c{{3, 1, 0}, {1, 2, -0.5}, {0, -0.5, 4}};
  const Vec d{{5, 4, 3}};
  struct Shape {
    AnyMatrix friction;
    Mat as_dense;
  };
  const Shape frictions[] = {{Mat::Constant(1, 1, 2), 2 * Mat::Identity(dim, dim)}, {d, d.asDiagonal()}, {c, c}};
  for (const Shape& friction : frictions) {
    for (const MassMatrix& mass : {dense(some_mass), diagonal_mass(some_mass.diagonal())}) {
      const Mat m = mass.diagonal() ? Mat(mass.matrix().col(0).asDiagonal()) : mass.matrix();
      test::SkewedTarget target;
      SghmcParams params;
      params.step.size = 0.1;
      params.temperature = 0;
      params.friction = Friction(dim, friction.friction);
      params.mass = mass;
      const Sghmc kernel(target, {0, dim}, {}, params);
      Vec x{{0.1, 0.2, -0.3}}, p{{1, -2, 0.5}}, g(dim);
      auto s = kernel.init(x, Rng(1));
      s.p = p;
      const Vec moved = x + 0.1 * m.inverse() * p;
      kernel.step(x, s, Rng(1).at(0));
      target.logp_grad(moved, g);
      EXPECT_LT((x - moved).norm(), 1e-14);
      EXPECT_LT((s.p - (p + 0.1 * g - 0.1 * friction.as_dense * m.inverse() * p)).norm(), 1e-14);
    }
  }
}

TEST(Sgnht, AStepWithADenseMass) {
  for (const auto variant : {SgnhtParams::a, SgnhtParams::printed}) {
    test::SkewedTarget target;
    SgnhtParams params;
    params.step.size = 0.1;
    params.variant = variant;
    params.mass = dense(some_mass);
    const Sgnht kernel(target, {0, dim}, {}, params);
    Vec x{{0.1, 0.2, -0.3}}, g(dim);
    const Vec start = x, p{{1, -2, 0.5}};
    auto s = kernel.init(x, Rng(1));
    s.p = p;
    kernel.step(x, s, Rng(1).at(0));
    target.logp_grad(start, g);
    const Vec damped = variant == SgnhtParams::a ? Vec(0.9 * p) : Vec(p - 0.1 * some_mass.inverse() * p);
    Vec noise(dim);
    Stream normals = Rng(1).at(0).stream("noise");
    if (variant == SgnhtParams::a) {
      params.mass.draw(normals, noise);  // N(0, M)
    } else {
      normals.normals(noise);
    }
    const Vec expected = damped + 0.1 * g + std::sqrt(2 * 0.1) * noise, v = some_mass.inverse() * expected;
    EXPECT_LT((s.p - expected).norm(), 1e-14);
    EXPECT_LT((x - start - 0.1 * v).norm(), 1e-14);
    EXPECT_NEAR(s.xi, 1 + 0.1 * (expected.dot(v) / dim - 1), 1e-14);
  }
}

// A mass m I is the step e/sqrt(m) with friction C/sqrt(m), on the same noise.
template <class K>
void expect_rescaling(const typename K::Params& heavy, const typename K::Params& light) {
  test::SkewedTarget target;
  const EstimatorSettings noisy{.added_noise = 4};
  const K one(target, {0, dim}, noisy, heavy), other(target, {0, dim}, noisy, light);
  const Rng rng(4);
  Vec x{{0.1, 0.2, -0.3}}, y = x;
  auto s = one.init(x, rng);
  auto t = other.init(y, rng);
  for (std::uint64_t i = 0; i < 500; ++i) {
    one.step(x, s, rng.at(i));
    other.step(y, t, rng.at(i));
    ASSERT_LT((x - y).norm(), 1e-12) << i;
  }
  EXPECT_GT((x - Vec{{0.1, 0.2, -0.3}}).norm(), 0.01);
}

TEST(Sghmc, AScalarMassIsAStepSize) {
  const auto params = [](double step, double friction, double mass) {
    SghmcParams p;
    p.step.size = step;
    p.friction = Friction(dim, Mat::Constant(1, 1, friction));
    p.noise_variance = Mat::Constant(1, 1, 3);
    p.mass = diagonal_mass(Vec::Constant(dim, mass));
    p.steps = 2;
    return p;
  };
  expect_rescaling<Sghmc>(params(0.1, 1, 3), params(0.1 / std::sqrt(3), 1 / std::sqrt(3), 1));
}

TEST(Sgnht, AScalarMassIsAStepSize) {
  const auto params = [](double step, double friction, double mass) {
    SgnhtParams p;
    p.step.size = step;
    p.friction = friction;
    p.variant = SgnhtParams::printed;
    p.mass = diagonal_mass(Vec::Constant(dim, mass));
    p.steps = 2;
    return p;
  };
  expect_rescaling<Sgnht>(params(0.1, 1, 3), params(0.1 / std::sqrt(3), 1 / std::sqrt(3), 1));
}

}  // namespace
}  // namespace quasar
