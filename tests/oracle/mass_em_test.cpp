// What Monte Carlo EM makes of a mass: the drift of an inverse covariance, momenta before the Metropolis test, and
// where the masses of samplers with noisy gradients go. Known values are closed forms, or what an independent
// implementation found in one run: then the spread of our own runs stands for its error too.
//
// Noise of variance 50 l on precisions l is isotropic in coordinates sqrt(l) x, where masses are 1/l times as large.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>

#include "adapt/learned_mass.hpp"
#include "kernels/hmc/mass_hmc.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/thermostat/sgnht.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr int assertions = 28;  // of this file, those against a threshold

double threshold(Index n) {  // for the mean of n numbers whose spread is their own
  return test::t_threshold(test::per_assertion(test::family_alpha, assertions), static_cast<double>(n - 1));
}

double variance(const Vec& values) {
  return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

double standard_error(const Vec& values) { return std::sqrt(variance(values) / static_cast<double>(values.size())); }

void expect_mean(const Vec& values, double known, const std::string& what) {
  const double error = standard_error(values);
  EXPECT_LT(std::abs(values.mean() - known), threshold(values.size()) * error)
      << what << ": " << values.mean() << " +- " << error;
}

void expect_negative_mean(const Vec& values, const std::string& what) {
  const double error = standard_error(values);
  EXPECT_LT(values.mean(), -threshold(values.size()) * error) << what << ": " << values.mean() << " +- " << error;
}

// Whether a number known from one run could be one of these.
void expect_one_of(const Vec& values, double known, const std::string& what) {
  const double spread = std::hypot(std::sqrt(variance(values)), standard_error(values));
  EXPECT_LT(std::abs(values.mean() - known), threshold(values.size()) * spread)
      << what << ": " << values.mean() << " +- " << spread;
}

struct Diagonal final : Target {  // U = sum l_i x_i^2/2
  explicit Diagonal(Vec precision) : l(std::move(precision)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Diagonal>(*this); }
  Index dim() const override { return l.size(); }
  Eval logp_grad(In x, Out grad) override {
    grad = -l.cwiseProduct(x);
    return {x.dot(grad) / 2};
  }
  void draw(const Rng& rng, Vec& x) const {
    rng.stream("exact").normals(x);
    x.array() /= l.array().sqrt();
  }
  Vec l;
};

const Vec stiff{{1, 4, 25, 100, 400}};

MassEmSettings em_with(std::int64_t samples, bool corrected = false) {
  return {.samples = samples, .corrected = corrected, .growth = 0};
}

Rng replicate(Index i) { return Rng(17, static_cast<std::uint64_t>(i)); }

// The mean of the diagonal of M^-1 after one M-step from M = 1, with momenta that have that mass.
Vec after_one_step(bool diagonal, bool corrected, Index dim, std::int64_t samples) {
  Vec means(4000);
  Vec p(dim);
  for (Index i = 0; i < means.size(); ++i) {
    MassMatrix mass(dim, diagonal);
    MassEm em(mass, em_with(samples, corrected));
    Stream normals = replicate(i).stream("momenta");
    for (std::int64_t s = 0; s < samples; ++s) {
      normals.normals(p);
      em.add({p}, mass, replicate(i));
    }
    Mat inverse;
    mass.inverse(inverse);
    means[i] = diagonal ? inverse.mean() : inverse.diagonal().mean();
  }
  return means;
}

TEST(MassEm, AnInverseCovarianceDriftsByItsDegreesOfFreedom) {
  constexpr double kappa = 0.5;
  expect_mean(after_one_step(false, false, 5, 20), 1 + kappa * 6 / 14.0, "dense");
  expect_mean(after_one_step(false, true, 5, 20), 1, "dense, corrected");
  expect_mean(after_one_step(true, false, 5, 20), 1 + kappa * 2 / 18.0, "diagonal");
  expect_mean(after_one_step(true, true, 5, 20), 1, "diagonal, corrected");
}

struct Learned {
  Vec mass;                 // its diagonal
  double mean_inverse = 0;  // of the diagonal of M^-1
  double acceptance = 0;    // of the last fifth of the iterations
};

template <class K>
K make(Target& target, const typename K::Params& params, double added_noise) {
  if constexpr (std::is_same_v<K, MassHmc>) {
    return K(target, {0, target.dim()}, params);
  } else {
    return K(target, {0, target.dim()}, EstimatorSettings{.added_noise = added_noise}, params);
  }
}

// `updates` M-steps of em.samples iterations each.
template <class K>
Learned learn(Diagonal& target, const typename K::Params& params, double added_noise, const MassEmSettings& em,
              std::int64_t updates, const Rng& rng) {
  const LearnedMass<K> kernel(make<K>(target, params, added_noise), em);
  Vec x(target.dim());
  target.draw(rng, x);
  auto s = kernel.init(x, rng.child("init"));
  Learned out;
  const std::int64_t iterations = updates * em.samples, last = iterations / 5;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const double accepted = kernel.step(x, s, rng.at(static_cast<std::uint64_t>(i))).accept_prob;
    if (i >= iterations - last) out.acceptance += accepted / static_cast<double>(last);
  }
  const MassMatrix& mass = s.kernel.params().mass;
  Mat inverse;
  mass.inverse(inverse);
  out.mass = mass.diagonal() ? Vec(mass.matrix()) : Vec(mass.matrix().diagonal());
  out.mean_inverse = mass.diagonal() ? inverse.mean() : inverse.diagonal().mean();
  return out;
}

MassHmcParams hmc_params(Index dim) {
  MassHmcParams params;
  params.step_size = 0.08;
  params.leapfrog_steps = 10;
  params.jitter = 0.1;  // steps of one size resonate, and stop accepting altogether where the mass goes the wrong way
  params.mass = MassMatrix(dim, false);
  return params;
}

// At stationarity every mass is a fixed point, but for the drift: the product of 1 + kappa_k (D + 1)/(S - D - 1).
TEST(HmcEm, LearnsNothingButTheDrift) {
  constexpr std::int64_t updates = 80, samples = 100;
  double drift = 1;
  for (int k = 1; k <= updates; ++k) drift *= 1 + 6 / 94.0 / (k + 1);
  EXPECT_NEAR(1 / drift, 0.78, 0.01);
  for (const bool corrected : {false, true}) {
    Vec inverses(24), accepted(24);
    for (Index i = 0; i < inverses.size(); ++i) {
      Diagonal target(stiff);
      const auto run = learn<MassHmc>(target, hmc_params(5), 0, em_with(samples, corrected), updates, replicate(i));
      inverses[i] = run.mean_inverse;
      accepted[i] = run.acceptance;
    }
    expect_mean(inverses, corrected ? 1 : drift, corrected ? "corrected" : "drift");
    expect_one_of(accepted, corrected ? 0.777 : 0.644, "acceptance");
  }
}

// The drift is common to all directions, so that their ratios are free of it. At precision 400 no mass falls below
// (1.1 e)^2 l/4 = 0.77 for long: there the longest steps are unstable, and momenta explode.
TEST(HmcEm, MomentaBeforeTheMetropolisTestMoveTheMassTheWrongWay) {
  constexpr Index runs = 48;
  Mat masses(runs, 5);
  Vec accepted(runs);
  for (Index i = 0; i < masses.rows(); ++i) {
    Diagonal target(stiff);
    MassHmcParams params = hmc_params(5);
    params.momenta = MassHmcParams::before_metropolis;
    const auto run = learn<MassHmc>(target, params, 0, em_with(100), 80, replicate(i));
    masses.row(i) = run.mass;
    accepted[i] = run.acceptance;
  }
  const std::array<double, 5> known{0.72, 0.60, 0.55, 0.45, 0.76};
  for (Index j = 0; j < 5; ++j) {
    expect_one_of(masses.col(j), known[static_cast<std::size_t>(j)], "mass " + std::to_string(j));
  }
  expect_one_of(accepted, 0.559, "acceptance");
  const Mat logs = masses.array().log();
  expect_negative_mean(logs.col(2) + logs.col(3) - logs.col(0) - logs.col(1), "precisions 25 and 100 to 1 and 4");
}

// E p_L^2 = m (1 - h^2/4 sin^2 phi), h = e sqrt(l/m), phi = L arccos(1 - h^2/2).
TEST(HmcEm, MomentaBeforeTheMetropolisTestAreLighterWhereItIsStiff) {
  constexpr Index many = 2000;
  constexpr double e = 0.08, mass = 2;
  for (const double l : {25.0, 100.0, 400.0, 1100.0}) {
    const double h = e * std::sqrt(l / mass), phi = 10 * std::acos(1 - h * h / 2);
    Diagonal target(Vec::Constant(many, l));
    MassHmcParams params = hmc_params(many);
    params.mass = diagonal_mass(Vec::Constant(many, mass));
    params.jitter = 0;
    params.momenta = MassHmcParams::before_metropolis;
    const MassHmc kernel(target, {0, many}, params);
    Vec squares(50), x(many);
    for (Index i = 0; i < squares.size(); ++i) {
      target.draw(replicate(i), x);
      auto s = kernel.init(x, replicate(i));
      kernel.step(x, s, replicate(i).at(0));
      squares[i] = s.p.squaredNorm() / many;
    }
    expect_mean(squares, mass * (1 - h * h / 4 * std::pow(std::sin(phi), 2)), "precision " + std::to_string(l));
  }
}

MassMatrix starting_mass() {  // 1 in the coordinates x
  MassMatrix mass(5, false);
  mass.set(Mat(stiff.cwiseInverse().asDiagonal()));
  return mass;
}

SgnhtParams sgnht_params(SgnhtParams::Variant variant) {
  SgnhtParams params;
  params.step.size = 0.01;
  params.variant = variant;
  params.steps = 10;
  params.mass = starting_mass();
  return params;
}

// One M-step multiplies a mass by its share of the noise, so that a mass proportional to V stays: the fixed point.
TEST(SgnhtEm, MassesBecomeProportionalToTheNoise) {
  constexpr Index runs = 12;
  Mat ratios(runs, 5);
  for (Index i = 0; i < runs; ++i) {
    Diagonal target(Vec::Ones(5));
    const auto run = learn<Sgnht>(target, sgnht_params(SgnhtParams::a), 50, em_with(100), 20, replicate(i));
    ratios.row(i) = (run.mass / run.mass[0]).cwiseProduct(stiff);
  }
  const std::array<double, 5> known{1, 3.8, 23, 86, 280};
  for (Index j = 1; j < 5; ++j) {
    expect_one_of(ratios.col(j), known[static_cast<std::size_t>(j)], "mass " + std::to_string(j));
    EXPECT_LT(std::abs(ratios.col(j).mean() / stiff[j] - 1), 0.4) << j;
  }
}

TEST(SgnhtEm, AsPrintedTheMassRunsAwayAndIsStopped) {
  for (Index i = 0; i < 4; ++i) {
    Diagonal target(Vec::Ones(5));
    EXPECT_THROW(learn<Sgnht>(target, sgnht_params(SgnhtParams::printed), 50, em_with(100), 20, replicate(i)),
                 Diverged);
  }
}

// Fresh momenta gain L e^2 V in L steps: masses grow at every M-step, most where the noise is largest.
TEST(SghmcEm, MassesGrowWithTheNoise) {
  constexpr Index runs = 12;
  Mat masses(runs, 5);
  for (Index i = 0; i < runs; ++i) {
    Diagonal target(Vec::Ones(5));
    SghmcParams params;
    params.step.size = 0.01;
    params.friction = Friction(5, stiff.cwiseInverse());
    params.mass = starting_mass();
    params.steps = 10;
    params.refresh = true;
    const auto run = learn<Sghmc>(target, params, 50, em_with(100), 20, replicate(i));
    masses.row(i) = run.mass.cwiseProduct(stiff);
  }
  const std::array<double, 5> known{1.0, 1.3, 2.9, 6.1, 11.7};
  for (Index j = 0; j < 5; ++j) {
    expect_one_of(masses.col(j), known[static_cast<std::size_t>(j)], "mass " + std::to_string(j));
  }
}

}  // namespace
}  // namespace quasar
