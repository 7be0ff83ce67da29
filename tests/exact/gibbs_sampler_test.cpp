// gibbs and als as chains: what they refuse, what they report, threads, cuts, and the mode that als must find.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "kernels/gibbs/row_gibbs.hpp"
#include "solvers/optimize.hpp"
#include "support/error_message.hpp"
#include "support/partly_exact.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::Collect;

// Some of 9 x 7 pairs.
Table ratings() {
  Table table{.source = "memory", .names = {"user", "item", "rating"}, .values = {}, .lines = {}};
  std::vector<std::array<double, 3>> rows;
  Stream stream = Rng(4).stream("ratings");
  for (int user = 0; user < 9; ++user) {
    for (int item = 0; item < 7; ++item) {
      if (stream.uniform() < 0.7) rows.push_back({double(user), double(item), std::round(3 + stream.normal())});
    }
  }
  table.values.resize(std::ssize(rows), 3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Index k = 0; k < 3; ++k) table.values(static_cast<Index>(i), k) = rows[i][static_cast<std::size_t>(k)];
  }
  return table;
}

std::unique_ptr<Target> bpmf(Settings settings = {}) {
  settings.insert({"rank", "3"});
  const ModelEntry& model = find_model("bpmf");
  const Table table = ratings();
  return model.make(Config(model.name, model.params, settings), &table);
}

const Settings fixed{{"hyperprior", "fixed"}, {"precision", "3"}, {"bias_precision", "2"}, {"noise_precision", "20"}};

std::unique_ptr<Chain> chain(const char* name, std::unique_ptr<Target> target, const Schedule& schedule,
                             const char* threads = "1") {
  const SamplerEntry& sampler = find_sampler(name);
  ChainSpec spec;
  spec.schedule = schedule;
  return sampler.make(std::move(target), Config(sampler.name, sampler.params, {{"threads", threads}}), spec);
}

Collect run(const char* name, const Settings& model, const Schedule& schedule, const char* threads = "1") {
  Collect seen;
  chain(name, bpmf(model), schedule, threads)->run_to(schedule.total(), seen, {});
  return seen;
}

TEST(GibbsSampler, NeedsAModelThatDrawsItsRows) {
  for (const char* name : {"gibbs", "als"}) {
    const std::string message = test::error_message<UsageError>([&] {
      chain(name, std::make_unique<test::PartlyExact>(), {0, 1, 1});
    });
    EXPECT_NE(message.find(std::string(name) + " needs a model that can draw all"), std::string::npos) << message;
    EXPECT_NE(message.find("bpmf"), std::string::npos);
  }
}

TEST(GibbsSampler, AlsWantsPrecisionsThatAreGiven) {
  const std::string message = test::error_message<UsageError>([] { chain("als", bpmf(), {0, 1, 1}); });
  EXPECT_NE(message.find("model.hyperprior=fixed"), std::string::npos) << message;
}

// Every coordinate moves in every step, the precisions included; no gradient is taken after the first point.
TEST(GibbsSampler, DrawsEverythingOnceAStep) {
  for (const char* hyperprior : {"scalar", "diagonal", "wishart"}) {
    SCOPED_TRACE(hyperprior);
    constexpr std::int64_t draws = 5;
    const auto size = static_cast<std::size_t>(bpmf({{"hyperprior", hyperprior}})->layout().size());
    const Collect seen = run("gibbs", {{"hyperprior", hyperprior}}, {2, draws, 1});
    ASSERT_EQ(seen.values.size(), size * draws);
    const Collect again = run("gibbs", {{"hyperprior", hyperprior}}, {2, draws, 1}, "3");
    EXPECT_EQ(seen.values, again.values);  // whatever the threads
    EXPECT_EQ(seen.gradients, 1);
    std::size_t same = 0;
    for (std::size_t i = size; i < seen.values.size(); ++i) same += seen.values[i] == seen.values[i - size];
    EXPECT_EQ(same, 0);
    for (std::size_t i = 0; i < seen.stats.size(); i += 2) EXPECT_EQ(seen.stats[i + 1], 1);  // data_passes
  }
}

TEST(GibbsSampler, ContinuesBitForBit) {
  for (const char* hyperprior : {"diagonal", "wishart"}) {
    test::expect_resumes_bit_for_bit(
        [&] {
          return chain("gibbs", bpmf({{"hyperprior", hyperprior}, {"gibbs_every", "2"}}), {5, 15, 1});
        },
        20, {1, 4, 5, 13});
  }
}

// A step is a function of x and of the name of its random numbers, iteration included.
TEST(GibbsSampler, EverySweepHasItsOwnNoise) {
  const auto target = bpmf(fixed);
  const RowGibbs kernel(dynamic_cast<RowSweep&>(*target), {});
  Vec start(target->dim());
  target->draw_start(start, Rng(1));
  RowGibbs::State state = kernel.init(start, Rng(1));
  const auto after = [&](const Rng& rng) {
    Vec x = start;
    kernel.step(x, state, rng);
    return x;
  };
  EXPECT_EQ(after(Rng(1).at(3)), after(Rng(1).at(3)));
  EXPECT_GT((after(Rng(1).at(3)) - after(Rng(1).at(4))).cwiseAbs().minCoeff(), 0);
}

// Where precisions are given all that moves the rows is their own noise.
TEST(GibbsSampler, DrawsNeverSettle) {
  const Collect seen = run("gibbs", fixed, {2000, 2, 1});
  const Index size = std::ssize(seen.values) / 2;
  const Eigen::Map<const Vec> first(seen.values.data(), size), second(seen.values.data() + size, size);
  EXPECT_GT((first - second).cwiseAbs().minCoeff(), 0);
  EXPECT_GT((first - second).norm(), 0.1);
}

// Where nothing is random the next sweep changes nothing, and the gradient is zero.
TEST(GibbsSampler, AlsFindsAMode) {
  const auto target = bpmf(fixed);
  const Collect seen = run("als", fixed, {2000, 1, 1});
  Vec x(target->dim()), grad(target->dim());
  target->unconstrain(Eigen::Map<const Vec>(seen.values.data(), std::ssize(seen.values)), x);
  const double logp = target->logp_grad(x, grad).logp;
  EXPECT_LT(grad.norm(), 1e-6);
  OptimizeOptions options;
  options.tolerance = 1e-8;
  const Optimum mode = optimize(*target, x + Vec::Constant(x.size(), 1e-3), options);
  EXPECT_NEAR(mode.logp, logp, 1e-6);
}

// Each sweep of als is an ascent.
TEST(GibbsSampler, AlsAscends) {
  const auto target = bpmf(fixed);
  constexpr std::int64_t sweeps = 20;
  const Collect seen = run("als", fixed, {0, sweeps, 1});
  const Index size = std::ssize(seen.values) / sweeps;
  Vec x(target->dim()), grad(target->dim());
  double before = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < sweeps; ++i) {
    target->unconstrain(Eigen::Map<const Vec>(seen.values.data() + i * size, size), x);
    const double now = target->logp_grad(x, grad).logp;
    EXPECT_GE(now, before - 1e-9);
    before = now;
  }
}

}  // namespace
}  // namespace quasar
