// Chains that draw a block of x exactly between the steps of a kernel: whose turn it is, what moves, what is renewed.
#include "core/gibbs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/partly_exact.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::Collect;
using test::PartlyExact;
using test::PartlyExactSum;

// Step sizes are given where they would be learned from a mode.
Settings settings_for(const SamplerEntry& sampler) {
  return sampler.stochastic ? Settings{{"step_size", "0.05"}} : Settings{};
}

std::unique_ptr<Chain> make_chain(const std::string& name, std::unique_ptr<Target> target, const Schedule& schedule,
                                  Settings settings = {}) {
  const SamplerEntry& sampler = find_sampler(name);
  if (settings.empty()) settings = settings_for(sampler);
  ChainSpec spec;
  spec.schedule = schedule;
  spec.save_warmup = true;
  spec.initial = Vec{{0.3, -0.2, 0.4}};
  return sampler.make(std::move(target), Config(sampler.name, sampler.params, settings), spec);
}

// Samplers that move all of x at once, by a metric of the place or a mass that they learn; and those that move nothing,
// but let the target draw.
const std::set<std::string_view> refusing{
    "rhmc",   "sgrld",    "rnp-hmc",  "rnp-hmc-printed", "sgr-nphmc", "sgr-nphmc-canonical",
    "hmc-em", "sghmc-em", "sgnht-em", "sg-nphmc-em",     "gibbs",     "als",
    "dsgld",  "dpsgld",   "dsghmc",   "dhamcmc",         "ihmm-beam"};

TEST(Gibbs, KernelsMoveTheRestAndOnlyTheRest) {
  constexpr Index never = 1'000'000;
  for (const SamplerEntry& sampler : samplers()) {
    SCOPED_TRACE(sampler.name);
    const auto make = [&] {
      return make_chain(std::string(sampler.name), std::make_unique<PartlyExact>(never), {20, 20, 1});
    };
    if (refusing.contains(sampler.name)) {
      EXPECT_THROW(make(), UsageError);
      continue;
    }
    Collect seen;
    make()->run_to(40, seen, {});
    std::set<double> first, last;
    for (std::size_t i = 0; i < seen.values.size(); i += 3) {
      first.insert(seen.values[i]);
      last.insert(seen.values[i + 2]);
    }
    EXPECT_GT(first.size(), 2U);
    EXPECT_EQ(last, std::set<double>{0.4});
  }
}

// Every sampler, also where members of an ensemble take turns: the last coordinate of each row is drawn.
TEST(Gibbs, EveryMemberIsDrawn) {
  for (const SamplerEntry& sampler : samplers()) {
    if (refusing.contains(sampler.name)) continue;
    SCOPED_TRACE(sampler.name);
    const auto chain =
        make_chain(std::string(sampler.name), std::make_unique<PartlyExact>(), {0, 30, 1},
                   sampler.stochastic ? Settings{{"step_size", "0.05"}} : Settings{{"step_size", "0.4"}});
    Collect seen;
    chain->run_to(30, seen, {});
    const auto members = static_cast<std::size_t>(chain->members());
    for (std::size_t member = 0; member < members; ++member) {
      std::set<double> last;
      for (std::size_t row = member; 3 * row < seen.values.size(); row += members)
        last.insert(seen.values[3 * row + 2]);
      EXPECT_EQ(last.size(), 30U) << member;
    }
  }
}

// lp is the cached density of the kernel: wrong after a rejection if the cache was not renewed.
TEST(Gibbs, TheCacheIsFreshAfterADraw) {
  for (const char* name : {"nuts", "hmc", "mala", "rwm", "qnhmc", "hmc-bfgs", "nh-hmc", "np-hmc"}) {
    SCOPED_TRACE(name);
    PartlyExact target;
    const auto chain = make_chain(name, target.fork(), {0, 200, 1}, {{"step_size", "0.8"}});
    const auto specs = chain->stats();
    const auto lp = static_cast<std::size_t>(
        std::ranges::find_if(specs, [](const StatSpec& s) { return s.name == "lp"; }) - specs.begin());
    Collect seen;
    chain->run_to(200, seen, {});
    Vec grad(3);
    for (std::size_t row = 0; 3 * row < seen.values.size(); ++row) {
      const Eigen::Map<const Vec> x(seen.values.data() + 3 * row, 3);
      ASSERT_DOUBLE_EQ(seen.stats[row * specs.size() + lp], target.logp_grad(x, grad).logp) << row;
    }
  }
}

// All but the one of the last renewal, which the next step would report.
TEST(Gibbs, EveryGradientIsCounted) {
  for (const char* name : {"nuts", "hmc", "hmc-bfgs"}) {
    SCOPED_TRACE(name);
    PartlyExact target;
    Collect seen;
    make_chain(name, target.fork(), {20, 20, 1})->run_to(40, seen, {});
    EXPECT_EQ(target.counts->evaluations, seen.gradients + 1);
  }
}

// Batches of 3 of 7 rows: a pass is full after 3, 5, 7 steps and so on. Ten times 0.1 is less than 1 in the machine.
TEST(Gibbs, DrawsOnceAPass) {
  const auto draws_after = [](Index rows, const char* batch, Index every, std::int64_t steps) {
    PartlyExactSum target(rows, every);
    Collect seen;
    make_chain("sgld", target.fork(), {0, steps, 1}, {{"step_size", "0.01"}, {"batch_size", batch}})
        ->run_to(steps, seen, {});
    return target.counts->draws;
  };
  EXPECT_EQ(draws_after(7, "3", 1, 2), 0);
  EXPECT_EQ(draws_after(7, "3", 1, 3), 1);
  EXPECT_EQ(draws_after(7, "3", 1, 5), 2);
  EXPECT_EQ(draws_after(7, "3", 1, 700), 300);
  EXPECT_EQ(draws_after(7, "3", 2, 700), 150);
  EXPECT_EQ(draws_after(10, "1", 1, 9), 0);
  EXPECT_EQ(draws_after(10, "1", 1, 10), 1);
  EXPECT_EQ(draws_after(100, "1", 1, 99), 0);
  EXPECT_EQ(draws_after(100, "1", 1, 100), 1);
  EXPECT_EQ(draws_after(100, "1", 1, 100'000), 1000);
  EXPECT_EQ(draws_after(100, "1", 0, 30), 30);  // after every step
}

// The number of gradients of a trajectory depends on x: it must not decide when the rest is drawn.
TEST(Gibbs, ATrajectoryCountsAsOnePass) {
  PartlyExact target(3);
  Collect seen;
  make_chain("nuts", target.fork(), {0, 30, 1}, {{"step_size", "0.1"}})->run_to(30, seen, {});
  EXPECT_EQ(target.counts->draws, 10);
  EXPECT_GT(seen.gradients, 60);
}

TEST(Gibbs, ResumesBitForBit) {
  for (const char* name : {"nuts", "hmc-bfgs", "hamcmc", "sghmc", "sg-nphmc-canonical"}) {
    SCOPED_TRACE(name);
    const bool stochastic = find_sampler(name).stochastic;
    const auto make = [&] {
      return make_chain(name, std::make_unique<PartlyExactSum>(7), {30, 30, 1},
                        stochastic ? Settings{{"step_size", "0.05"}, {"batch_size", "3"}} : Settings{});
    };
    test::expect_resumes_bit_for_bit(make, 60, {1, 4, 29, 44});
  }
}

TEST(Gibbs, AllocatesNothing) {
  PartlyExactSum target(7);
  Gibbs gibbs(target, 2);
  Vec x = Vec::Zero(3);
  const long before = test::allocation_count;
  for (std::uint64_t i = 0; i < 20; ++i) {
    if (gibbs.count(target, 1, 0.5)) gibbs.draw_due(target, 1, x, Rng(1).at(i));
  }
  EXPECT_EQ(test::allocation_count, before);
  EXPECT_EQ(target.counts->draws, 10);
}

// What is drawn exactly has to come last, so that the rest is one block.
TEST(Gibbs, TheMovingBlockComesFirst) {
  PartlyExact target;
  EXPECT_EQ(moving_block(target).size, 2);
  target.conditional = {{{1, 1}}, {{2, 1}}};
  EXPECT_EQ(moving_block(target).size, 1);
  target.conditional = {{{1, 1}}};
  EXPECT_THROW(moving_block(target), std::logic_error);
}

// U = a^4 + a^2 b^2 + b^2 / 2 with b at 0.4, a coordinate that is drawn, though never here, or none.
struct Beside final : FiniteSum {
  explicit Beside(bool coordinate) : has_b(coordinate) {
    if (coordinate) conditional = {{{1, 1}, 1'000'000}};
  }
  std::unique_ptr<Target> fork() const override { return std::make_unique<Beside>(*this); }
  Index dim() const override { return has_b ? 2 : 1; }
  Index terms() const override { return 1; }
  Eval prior(In, Out grad, Want) override {
    grad.setZero();
    return {0};
  }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) override {
    const double a = x[0], b = has_b ? x[1] : 0.4, all = weight * static_cast<double>(ids.size());
    grad[0] -= all * (4 * a * a * a + 2 * a * b * b);
    if (has_b) grad[1] -= all * (2 * a * a * b + b);
    return {-all * (a * a * a * a + a * a * b * b + b * b / 2)};
  }
  std::span<const Conditional> conditionals() const override { return conditional; }

  bool has_b;
  std::vector<Conditional> conditional;
};

// The divergence of psgld's metric is that of the coordinates it moves.
TEST(Gibbs, AKernelProbesWhatItMoves) {
  const auto draws = [](bool coordinate) {
    const SamplerEntry& sampler = find_sampler("psgld");
    ChainSpec spec;
    spec.schedule = {0, 50, 1};
    spec.initial = coordinate ? Vec{{0.3, 0.4}} : Vec{{0.3}};
    const Config config(sampler.name, sampler.params,
                        {{"step_size", "0.01"}, {"correction", "full"}, {"regularization", "1"}});
    Collect seen;
    sampler.make(std::make_unique<Beside>(coordinate), config, spec)->run_to(50, seen, {});
    std::vector<double> a;
    for (std::size_t i = 0; i < seen.values.size(); i += coordinate ? 2 : 1) a.push_back(seen.values[i]);
    return a;
  };
  EXPECT_EQ(draws(true), draws(false));
}

TEST(Gibbs, ModesAndTemperaturesAreRefused) {
  const auto refusal = [](const char* name, const Settings& settings) {
    return test::error_message<UsageError>([&] {
      make_chain(name, std::make_unique<PartlyExactSum>(50), {0, 10, 1}, settings);
    });
  };
  EXPECT_NE(refusal("sgld", {{"batch_size", "5"}}).find("step_size=0.002"), std::string::npos);
  EXPECT_NE(refusal("sghmc", {{"step_size", "0.01"}, {"estimator", "control_variates"}}).find("mode"),
            std::string::npos);
  EXPECT_NE(refusal("sgld", {{"batch_size", "5"}}).find("momentum_decay=0.01 and noise_variance=0"), std::string::npos);
  EXPECT_NE(
      refusal("sghmc", {{"step_size", "0.01"}, {"mass", "fisher"}}).find("mass=fisher is measured around the mode"),
      std::string::npos);
  EXPECT_NE(refusal("nh-hmc", {{"temperature", "2"}}).find("temperature=2: this model has Gibbs steps"),
            std::string::npos);
  for (const char* name : {"sgrld", "sgr-nphmc", "sgr-nphmc-canonical", "sg-nphmc-em"}) {  // whatever the step size
    EXPECT_NE(refusal(name, {{"batch_size", "5"}}).find("moves all coordinates of a model together"), std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace quasar
