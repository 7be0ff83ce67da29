// Lazy steps: the law of the eager kernel, coordinate by coordinate.
//
// On a normal sum with a given sequence of batches a step is an affine map with normal noise, so the mean and the
// covariance of all positions and momenta after some steps are known. Budget: family_alpha over all moments below.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/gibbs.hpp"
#include "kernels/hmc/sghmc.hpp"
#include "kernels/langevin/sgld.hpp"
#include "kernels/lazy/lazy_sghmc.hpp"
#include "kernels/lazy/lazy_sgld.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/factorizations.hpp"
#include "support/resuming.hpp"
#include "support/row_gaussian.hpp"
#include "support/statistics.hpp"

namespace quasar::test {
namespace {

constexpr double e = 0.1, friction = 0.8, noise_variance = 0.5;
constexpr Index moving = RowGaussian::row_count * RowGaussian::width;

EstimatorSettings one_term() {  // a batch touches two rows of five
  EstimatorSettings settings;
  settings.kind = EstimatorSettings::minibatch;
  return settings;
}

StochasticParams langevin(double temperature) {
  StochasticParams params;
  params.step.size = e;
  params.temperature = temperature;
  return params;
}

SghmcParams hamiltonian(double temperature) {
  SghmcParams params;
  params.step.size = e;
  params.temperature = temperature;
  params.friction = Friction(moving, Mat::Constant(1, 1, friction));
  params.noise_variance = Mat::Constant(1, 1, noise_variance);
  return params;
}

LazySghmcParams lazy_hamiltonian(double temperature) { return {langevin(temperature), friction, noise_variance}; }

Vec start_of(const RowGaussian& target) { return Vec::LinSpaced(target.dim(), -1, 2); }

// --- the tables

Eigen::Matrix2d power_of(const Eigen::Matrix2d& a, Index n) {
  Eigen::Matrix2d power = Eigen::Matrix2d::Identity();
  for (Index k = 0; k < n; ++k) power = (power * a).eval();
  return power;
}

TEST(FreeSteps, LangevinJumpsArePowersAndSums) {
  constexpr double step = 0.02, precision = 3.5, spread = 0.2;
  constexpr Index count = 50;
  std::array<LangevinJump, count> jumps;
  LangevinSteps{step, spread}.tabulate(precision, count, jumps.data(), 1);
  const double a = 1 - step * precision;
  for (Index n = 0; n < count; ++n) {
    double variance = 0;
    for (Index k = 0; k < n; ++k) variance += std::pow(a, 2.0 * static_cast<double>(k)) * spread * spread;
    const LangevinJump& jump = jumps[static_cast<std::size_t>(n)];
    EXPECT_NEAR(jump.power, std::pow(a, static_cast<double>(n)), 1e-14);
    EXPECT_NEAR(jump.spread * jump.spread, variance, 1e-12 * spread * spread);
  }
}

TEST(FreeSteps, HamiltonianJumpsArePowersAndSums) {
  constexpr double step = 0.1, precision = 2.5, c = 0.7, spread = 0.3;
  constexpr Index count = 60, stride = 2;
  std::vector<HamiltonianJump> jumps(count * stride);
  HamiltonianSteps{step, c, spread}.tabulate(precision, count, jumps.data(), stride);
  Eigen::Matrix2d drift, kick, noise = Eigen::Matrix2d::Zero();  // the two halves of a step
  drift << 1, step, 0, 1;
  kick << 1, 0, -step * precision, 1;
  Eigen::Matrix2d damped = drift;
  damped.row(1) *= 1 - step * c;
  const Eigen::Matrix2d a = kick * damped;
  noise(1, 1) = spread * spread;
  for (Index n = 0; n < count; ++n) {
    Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
    for (Index k = 0; k < n; ++k) covariance += power_of(a, k) * noise * power_of(a, k).transpose();
    const HamiltonianJump& jump = jumps[static_cast<std::size_t>(n * stride)];
    Eigen::Matrix2d found, root;
    found << jump.xx, jump.xp, jump.px, jump.pp;
    root << jump.spread_x, 0, jump.cross, jump.spread_p;
    EXPECT_LT((found - power_of(a, n)).cwiseAbs().maxCoeff(), 1e-12) << n;
    EXPECT_LT((root * root.transpose() - covariance).cwiseAbs().maxCoeff(), 1e-12) << n;
  }
}

// --- without noise: the same path

template <class Eager, class Lazy>
void expect_same_path(RowGaussian& target, const Eager& eager, const Lazy& lazy) {
  Vec x = start_of(target), y = x;
  auto s = eager.init(x, Rng(1));
  auto late = lazy.init(y, Rng(1));
  for (int t = 1; t <= 60; ++t) {
    eager.step(x, s, Rng(2).at(static_cast<std::uint64_t>(t)));
    lazy.step(y, late, Rng(3).at(static_cast<std::uint64_t>(t)));
    if (t % 7 != 0) continue;
    lazy.catch_up(y, late, Rng(4));
    EXPECT_LT((x - y).cwiseAbs().maxCoeff(), 1e-12) << t;
    if (!target.scaled) continue;
    x.tail(2).array() -= 0.1;  // as a Gibbs step would
    y.tail(2) = x.tail(2);
    eager.rebase(x, s);
    lazy.rebase(y, late);
  }
}

TEST(LazySteps, WithoutNoiseTheyWalkTheSamePath) {
  for (const bool scaled : {false, true}) {
    RowGaussian target(scaled);
    const Block block{0, moving};
    expect_same_path(target, Sgld(target, block, one_term(), langevin(0)),
                     LazySgld(target, block, one_term(), langevin(0)));
    expect_same_path(target, Sghmc(target, block, one_term(), hamiltonian(0)),
                     LazySghmc(target, block, one_term(), lazy_hamiltonian(0)));
  }
}

// --- with noise: the same moments

struct Moments {
  Vec mean;
  Mat covariance;
};

// The gradient on a batch, b + H x.
struct Linear {
  Vec at_zero;
  Mat slope;
};

Linear gradient_on(RowGaussian& target, std::span<const Index> ids) {
  const auto at = [&](const Vec& x) {
    Vec grad(target.dim());
    target.prior(x, grad, Want::gradient);
    const double weight = static_cast<double>(target.terms()) / static_cast<double>(ids.size());
    target.add_terms(x, ids, weight, grad, Want::gradient);
    return grad;
  };
  Linear found{at(Vec::Zero(moving)), Mat(moving, moving)};
  for (Index i = 0; i < moving; ++i) found.slope.col(i) = at(Vec::Unit(moving, i)) - found.at_zero;
  return found;
}

void move(Moments& m, const Mat& map, const Vec& shift, const Mat& noise) {
  m.mean = (map * m.mean + shift).eval();
  m.covariance = (map * m.covariance * map.transpose() + noise).eval();
}

void langevin_step(Moments& m, const Linear& g) {
  const Mat identity = Mat::Identity(moving, moving);
  move(m, identity + e * g.slope, e * g.at_zero, 2 * e * identity);
}

void hamiltonian_step(Moments& m, const Linear& g) {
  const Mat identity = Mat::Identity(moving, moving), zero = Mat::Zero(moving, moving);
  Mat drift(2 * moving, 2 * moving), kick = drift, noise = Mat::Zero(2 * moving, 2 * moving);
  drift << identity, e * identity, zero, (1 - e * friction) * identity;
  kick << identity, zero, e * g.slope, identity;
  noise.bottomRightCorner(moving, moving) = 2 * e * (friction - e / 2 * noise_variance) * identity;
  Vec shift = Vec::Zero(2 * moving);
  shift.tail(moving) = e * g.at_zero;
  move(m, kick * drift, shift, noise);
}

constexpr int steps = 12, replicates = 20'000;
constexpr int langevin_moments = moving + moving * (moving + 1) / 2;
constexpr int hamiltonian_moments = 2 * moving + moving * (2 * moving + 1);
constexpr int assertions = 3 * langevin_moments + 3 * hamiltonian_moments + 6;  // three runs of each; and long gaps

// Sums over replicates, the squares around the exact mean.
struct Sums {
  explicit Sums(const Moments& exact) : law(exact), first(Vec::Zero(exact.mean.size())) {
    second = Mat::Zero(first.size(), first.size());
  }
  void add(const Vec& z) {
    const Vec off = z - law.mean;
    first += off;
    second += off * off.transpose();
  }
  // The product of two normals with mean 0 has variance S_ii S_jj + S_ij^2.
  void expect_law(const char* name) const {
    const double n = replicates, limit = z_threshold(per_assertion(family_alpha, assertions));
    const Mat& s = law.covariance;
    for (Index i = 0; i < first.size(); ++i) {
      EXPECT_LT(std::abs(first[i]), limit * std::sqrt(n * s(i, i))) << name << ": mean " << i;
      for (Index j = 0; j <= i; ++j) {
        const double sd = std::sqrt((s(i, i) * s(j, j) + s(i, j) * s(i, j)) / n);
        EXPECT_LT(std::abs(second(i, j) / n - s(i, j)), limit * sd) << name << ": covariance " << i << ", " << j;
      }
    }
  }
  Moments law;
  Vec first;
  Mat second;
};

template <class State>
Vec all_of(const Vec& x, const State& s) {
  if constexpr (requires { s.p; }) {
    Vec z(2 * moving);
    z << x, s.p;
    return z;
  } else {
    return x;
  }
}

using StepLaw = void (*)(Moments&, const Linear&);

template <class K>
Moments exact_moments(RowGaussian& target, const K& kernel, StepLaw step_law) {
  Vec x = start_of(target);
  auto s = kernel.init(x, Rng(1));
  Moments m{all_of(x, s), {}};
  m.covariance = Mat::Zero(m.mean.size(), m.mean.size());
  for (int t = 1; t <= steps; ++t) {
    kernel.step(x, s,
                Rng(2).at(static_cast<std::uint64_t>(t)));  // for its batch, which depends on the first seed alone
    step_law(m, gradient_on(target, s.estimate.ids));
  }
  return m;
}

// look: the steps between two looks at all rows; steps: only the last.
template <class K>
void expect_moments(RowGaussian& target, const K& kernel, const Moments& exact, int look, const char* name) {
  Sums sums(exact);
  const Vec start = start_of(target);
  const auto fresh = kernel.init(start, Rng(1));
  auto s = fresh;
  Vec x = start;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(21, static_cast<std::uint64_t>(r));
    s = fresh;
    x = start;
    for (int t = 1; t <= steps; ++t) {
      const Rng now = rng.at(static_cast<std::uint64_t>(t));
      kernel.step(x, s, now);
      if constexpr (requires { kernel.catch_up(x, s, now); }) {
        if (t % look == 0) kernel.catch_up(x, s, now.child("catch up"));
      }
    }
    sums.add(all_of(x, s));
  }
  sums.expect_law(name);
}

TEST(LazySteps, HaveTheMomentsOfEagerSgld) {
  RowGaussian target;
  const Block block{0, moving};
  const Sgld eager(target, block, one_term(), langevin(1));
  const LazySgld lazy(target, block, one_term(), langevin(1));
  const Moments exact = exact_moments(target, eager, langevin_step);
  expect_moments(target, eager, exact, steps, "eager");
  expect_moments(target, lazy, exact, steps, "lazy");
  expect_moments(target, lazy, exact, 3, "lazy, looked at every third step");
}

TEST(LazySteps, HaveTheMomentsOfEagerSghmc) {
  RowGaussian target;
  const Block block{0, moving};
  const Sghmc eager(target, block, one_term(), hamiltonian(1));
  const LazySghmc lazy(target, block, one_term(), lazy_hamiltonian(1));
  const Moments exact = exact_moments(target, eager, hamiltonian_step);
  expect_moments(target, eager, exact, steps, "eager");
  expect_moments(target, lazy, exact, steps, "lazy");
  expect_moments(target, lazy, exact, 3, "lazy, looked at every third step");
}

constexpr Index long_gap = 2 * longest_jump + 100;  // of several jumps

// Of one coordinate, when rows that are in this state have caught up: mean and variance.
template <class K, class State>
void expect_caught_up(const K& kernel, const Vec& start, const State& fresh, Index coordinate, double mean,
                      double variance) {
  State s = fresh;
  Vec x = start;
  double first = 0, second = 0;
  for (int r = 0; r < replicates; ++r) {
    s = fresh;
    x = start;
    kernel.catch_up(x, s, Rng(30, static_cast<std::uint64_t>(r)));
    const double off = (x[coordinate] - mean) / std::sqrt(variance);
    first += off;
    second += off * off;
  }
  const double n = replicates, limit = z_threshold(per_assertion(family_alpha, assertions));
  EXPECT_LT(std::abs(first), limit * std::sqrt(n));
  EXPECT_LT(std::abs(second / n - 1), limit * std::sqrt(2 / n));
}

// With a step so small that the first jumps are not forgotten.
template <class K>
void expect_long_gap(const K& kernel, const Vec& start, const std::function<void(Moments&)>& step) {
  auto s = kernel.init(start, Rng(1));
  Moments one{Vec::Zero(2), Mat::Zero(2, 2)};  // of a coordinate of the first row, about its prior's mean
  one.mean[0] = start[0] - 0.5;
  if constexpr (requires { s.p; }) one.mean[1] = s.p[0];
  for (Index t = 0; t < long_gap; ++t) step(one);
  s.t = long_gap;
  expect_caught_up(kernel, start, s, 0, 0.5 + one.mean[0], one.covariance(0, 0));
}

TEST(LazySteps, TakeSeveralJumpsOverALongGap) {
  RowGaussian target;
  const Block block{0, moving};
  constexpr double precision = 1.2;
  StochasticParams params = langevin(1);
  params.step.size = 2e-4;
  expect_long_gap(LazySgld(target, block, one_term(), params), start_of(target), [&](Moments& m) {
    m.mean[0] *= 1 - params.step.size * precision;
    m.covariance(0, 0) = std::pow(1 - params.step.size * precision, 2) * m.covariance(0, 0) + 2 * params.step.size;
  });
  const double small = 1e-3;
  params.step.size = small;
  Mat drift(2, 2), kick(2, 2), noise = Mat::Zero(2, 2);
  drift << 1, small, 0, 1 - small * friction;
  kick << 1, 0, -small * precision, 1;
  noise(1, 1) = 2 * small * friction;
  expect_long_gap(LazySghmc(target, block, one_term(), {params, friction, 0}), start_of(target),
                  [&](Moments& m) { move(m, kick * drift, Vec::Zero(2), noise); });
}

// The noise of the step that touched a row waits for the first jump of several. Steps are so large that a coordinate
// swings out, a = -1.15: then that noise makes 1 - 1/a^2, a quarter, of the variance after any number of steps.
TEST(LazySteps, DrawTheNoiseThatWaitsBeforeALongGap) {
  RowGaussian target;
  constexpr double precision = 3, a = -1.15;
  StochasticParams params = langevin(1);
  params.step.size = (1 - a) / precision;
  const LazySgld kernel(target, {0, moving}, one_term(), params);
  Vec x = start_of(target), mean(target.width), precisions(target.width);
  auto s = kernel.init(x, Rng(1));
  kernel.step(x, s, Rng(2));
  const Index row = s.touched.front(), last = target.width - 1;
  target.row_prior(x, target.kind_of(row), mean, precisions);
  ASSERT_EQ(precisions[last], precision);
  double off = x[row * target.width + last] - mean[last], variance = 2 * params.step.size;
  for (s.t = 1; s.t < long_gap; ++s.t) {
    off *= a;
    variance = a * a * variance + 2 * params.step.size;
  }
  expect_caught_up(kernel, x, s, row * target.width + last, mean[last] + off, variance);
}

// --- the rest of the contract

template <class K>
void expect_idle_catch_up_and_no_allocation(RowGaussian& target, const K& kernel) {
  Vec x = start_of(target);
  auto s = kernel.init(x, Rng(1));
  for (std::uint64_t t = 0; t < 3; ++t) kernel.step(x, s, Rng(2).at(t));
  const long before = allocation_count;
  for (std::uint64_t t = 3; t < 20; ++t) kernel.step(x, s, Rng(2).at(t));
  kernel.catch_up(x, s, Rng(3));
  EXPECT_EQ(allocation_count, before);
  const Vec there = all_of(x, s);
  kernel.catch_up(x, s, Rng(4));
  EXPECT_EQ(all_of(x, s), there);
}

TEST(LazySteps, AllocateNothingAndCatchUpOnce) {
  RowGaussian target;
  const Block block{0, moving};
  expect_idle_catch_up_and_no_allocation(target, LazySgld(target, block, one_term(), langevin(1)));
  expect_idle_catch_up_and_no_allocation(target, LazySghmc(target, block, one_term(), lazy_hamiltonian(1)));
}

std::unique_ptr<Chain> chain_of(const Variant& variant, const ChainSpec& spec, bool scaled = true) {
  const SamplerEntry& entry = find_sampler(variant.sampler);
  return entry.make(std::make_unique<RowGaussian>(scaled), Config(entry.name, entry.params, variant.settings), spec);
}

const std::vector<Variant> lazy_variants{
    {"sgld", {{"step_size", "0.05"}, {"batch_size", "1"}, {"lazy", "yes"}}},
    {"sgd", {{"step_size", "0.05"}, {"batch_size", "1"}, {"lazy", "yes"}}},
    {"sghmc", {{"step_size", "0.1"}, {"batch_size", "1"}, {"noise_variance", "0"}, {"lazy", "yes"}}},
    {"sgd-momentum", {{"step_size", "0.1"}, {"batch_size", "1"}, {"lazy", "yes"}}}};

TEST(LazySteps, ResumeBitForBit) {
  ChainSpec spec;
  spec.schedule = {10, 90, 7};
  for (const Variant& variant : lazy_variants) {
    SCOPED_TRACE(variant.name());
    expect_resumes_bit_for_bit([&] { return chain_of(variant, spec); }, 100, {1, 9, 33, 64});
  }
}

std::vector<double> draws_of(Variant variant, const char* lazy, const Schedule& schedule, bool scaled) {
  variant.settings["lazy"] = lazy;
  ChainSpec spec;
  spec.schedule = schedule;
  Collect draws;
  chain_of(variant, spec, scaled)->run_to(schedule.total(), draws, {});
  return draws.values;
}

// All rows are there when a draw is recorded, every seventh step, and when the precisions change, every eighth.
TEST(LazySteps, ChainsWithoutNoiseWalkTheSamePath) {
  for (const Variant& variant : lazy_variants) {
    if (!variant.sampler.starts_with("sgd")) continue;
    const std::vector<double> lazy = draws_of(variant, "yes", {0, 140, 7}, true);
    const std::vector<double> eager = draws_of(variant, "no", {0, 140, 7}, true);
    ASSERT_EQ(lazy.size(), eager.size());
    for (std::size_t i = 0; i < lazy.size(); ++i) EXPECT_NEAR(lazy[i], eager[i], 1e-12) << variant.name() << ", " << i;
  }
}

// What auto has decided is there to be read.
bool tells_rows(const Chain& chain) { return chain.stats().back().name == "rows_touched"; }

TEST(LazySteps, TellTheRowsThatTheyTouch) {
  for (Variant variant : lazy_variants) {
    for (const bool lazy : {true, false}) {
      variant.settings["lazy"] = lazy ? "yes" : "no";
      Collect seen;
      const auto chain = chain_of(variant, {}, false);
      EXPECT_EQ(tells_rows(*chain), lazy) << variant.name();
      chain->run_to(2000, seen, {});
      for (std::size_t i = chain->stats().size() - 1; lazy && i < seen.stats.size(); i += chain->stats().size()) {
        EXPECT_EQ(seen.stats[i], 2) << variant.name();
      }
    }
  }
}

std::string refusal(Variant variant, const char* name, const char* value) {
  variant.settings[name] = value;
  return error_message<UsageError>([&] { chain_of(variant, {}); });
}

TEST(LazySteps, SayWhatIsInTheirWay) {
  const Variant &sgld = lazy_variants[0], &sghmc = lazy_variants[2];
  EXPECT_NE(refusal(sgld, "schedule", "polynomial").find("the schedule is not constant"), std::string::npos);
  EXPECT_NE(refusal(sgld, "estimator", "svrg").find("the estimator is not minibatch"), std::string::npos);
  EXPECT_NE(refusal(sgld, "gradient_noise", "1").find("gradient_noise"), std::string::npos);
  EXPECT_NE(refusal(sghmc, "mass", "2").find("mass is not 1"), std::string::npos);
  EXPECT_NE(refusal(sghmc, "noise_variance", "learned").find("noise_variance"), std::string::npos);
  EXPECT_NE(refusal(sghmc, "noise_variance", "1e9").find("more than the friction"), std::string::npos);
  EXPECT_NE(refusal(sghmc, "refresh", "true").find("refresh"), std::string::npos);
  EXPECT_NE(refusal(sghmc, "first", "momentum").find("first"), std::string::npos);
  const std::string all_ones = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  EXPECT_NE(refusal(sghmc, "friction", all_ones.c_str()).find("friction is not one number"), std::string::npos);
}

// 40 users with two ratings each, 3 items, rows of 4. A batch of 8 touches about 11 of the 43.
bool auto_is_lazy(Variant variant, Settings model, const Schedule& schedule) {
  model.insert({{"rank", "4"}, {"biases", "false"}});
  variant.settings["lazy"] = "auto";
  variant.settings["batch_size"] = "8";
  const SamplerEntry& entry = find_sampler(variant.sampler);
  ChainSpec spec;
  spec.schedule = schedule;
  const Config config(entry.name, entry.params, variant.settings);
  return tells_rows(*entry.make(made_up_factorization(model, 40, 3).fork(), config, spec));
}

// As long as fewer than 43 * 4/(4 + 8), about 14, are moved in a step.
TEST(LazySteps, AreTakenWhereTheyPay) {
  for (const Variant& variant : lazy_variants) {
    SCOPED_TRACE(variant.name());
    EXPECT_TRUE(auto_is_lazy(variant, {{"hyperprior", "fixed"}}, {0, 40, 40}));
    EXPECT_FALSE(auto_is_lazy(variant, {{"hyperprior", "fixed"}}, {0, 40, 1}));  // every row is looked at in every step
    EXPECT_FALSE(auto_is_lazy(variant, {{"hyperprior", "scalar"}}, {0, 40, 40}));  // and here in every tenth
    EXPECT_TRUE(auto_is_lazy(variant, {{"hyperprior", "scalar"}, {"gibbs_every", "10"}}, {0, 40, 40}));
    EXPECT_FALSE(auto_is_lazy(variant, {{"hyperprior", "fixed"}, {"rank", "1"}}, {0, 40, 40}));  // of less than 5
  }
}

}  // namespace
}  // namespace quasar::test
