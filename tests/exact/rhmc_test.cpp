// Riemannian HMC, without statistics: what must hold after every step, whole chains, and what is said of failed solves.
#include "kernels/hmc/rhmc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "integrators/potential.hpp"
#include "support/allocations.hpp"
#include "support/geometries.hpp"
#include "support/resuming.hpp"

namespace quasar {
namespace {

using test::Collect;

static_assert(Kernel<Rhmc>);

std::shared_ptr<Geometry> geometry_of(const test::Curved& c) {
  return c.around ? c.around : std::shared_ptr<Geometry>(std::shared_ptr<void>(), c.target->geometry());
}

Rhmc kernel_on(const test::Curved& c, double step_size = 0.5) {
  return {*c.target, geometry_of(c), {{.step_size = step_size, .leapfrog_steps = 3}}};
}

TEST(Rhmc, CacheIsFreshAfterEveryStep) {
  for (const test::Curved& c : test::curved_targets()) {
    const Rhmc kernel = kernel_on(c, 0.7);
    const Rng rng(3);
    Vec x = c.x, g(x.size());
    auto s = kernel.init(x, rng);
    int moved = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Vec before = x;
      const auto info = kernel.step(x, s, rng.at(i));
      moved += x != before;
      ASSERT_EQ(s.u, potential(*c.target, x, g)) << c.name;
      ASSERT_EQ(s.g, g) << c.name;
      ASSERT_EQ(info.lp, -s.u) << c.name;
    }
    EXPECT_GT(moved, 50) << c.name;
    EXPECT_LT(moved, 200) << c.name;  // both branches were taken
  }
}

TEST(Rhmc, RebaseRenewsTheCache) {
  for (const test::Curved& c : test::curved_targets()) {
    const Rhmc kernel = kernel_on(c);
    Vec x = c.x, g(x.size());
    auto s = kernel.init(x, Rng(1));
    x[0] += 0.1;
    kernel.rebase(x, s);
    EXPECT_EQ(s.u, potential(*c.target, x, g));
    EXPECT_EQ(s.g, g);
  }
}

TEST(Rhmc, AllocatesNothingPerStep) {
  for (const test::Curved& c : test::curved_targets()) {
    for (const auto method : {ImplicitSettings::Method::newton, ImplicitSettings::Method::fixed_point}) {
      Rhmc kernel = kernel_on(c);
      kernel.params().solver.method = method;
      const Rng rng(1);
      Vec x = c.x;
      auto s = kernel.init(x, rng);
      kernel.step(x, s, rng.at(0));
      const long before = test::allocation_count;
      for (std::uint64_t i = 1; i < 50; ++i) kernel.step(x, s, rng.at(i));
      EXPECT_EQ(test::allocation_count - before, 0) << c.name;
    }
  }
}

struct Counting final : Target {
  std::shared_ptr<std::atomic<long>> count = std::make_shared<std::atomic<long>>(0);
  std::unique_ptr<Target> inner;
  explicit Counting(std::unique_ptr<Target> target) : inner(std::move(target)) {}
  std::unique_ptr<Target> fork() const override {
    auto copy = std::make_unique<Counting>(inner->fork());
    copy->count = count;
    return copy;
  }
  Index dim() const override { return inner->dim(); }
  Eval logp_grad(In x, Out grad) override {
    ++*count;
    return inner->logp_grad(x, grad);
  }
  std::span<const Interval> support() const override { return inner->support(); }
  Geometry* geometry() override { return inner->geometry(); }
  Hessian* hessian() override { return inner->hessian(); }
};

Config config_of(const Settings& settings) { return Config("rhmc", find_sampler("rhmc").params, settings); }

const Settings all_settings[] = {{},
                                 {{"solver", "newton"}},
                                 {{"solver", "fixed_point"}},
                                 {{"geometry", "softabs"}},
                                 {{"geometry", "softabs"}, {"solver", "newton"}},
                                 {{"solver", "fixed_point"}, {"fixed_iterations", "2"}},
                                 {{"check_reversal", "false"}, {"step_size", "1.4"}}};

TEST(Rhmc, CountsEveryGradientFromTheFirstPointOn) {
  for (const Settings& settings : all_settings) {
    for (test::Curved& c : test::curved_targets()) {
      if (c.name.find("observed") != std::string::npos) continue;  // cannot start anywhere
      const Counting target(std::move(c.target));
      SampleOptions options;
      options.schedule = {60, 20, 1};
      options.chains = 2;
      const RunData run = sample(target, find_sampler("rhmc"), config_of(settings), options);
      EXPECT_EQ(run.info.gradient_evaluations, *target.count) << c.name;
    }
  }
}

std::unique_ptr<Chain> chain_of(const Settings& settings, const Schedule& schedule, const char* coordinates) {
  ChainSpec spec;
  spec.schedule = schedule;
  return find_sampler("rhmc").make(test::gamma({{"coordinates", coordinates}}), config_of(settings), spec);
}

TEST(Rhmc, ContinuesBitForBitFromASavedState) {
  for (const Settings& settings : all_settings) {
    const Schedule schedule{40, 30, 1};
    test::expect_resumes_bit_for_bit([&] { return chain_of(settings, schedule, "natural"); }, schedule.total(),
                                     {0, 1, 17, 40, 55});
  }
}

// Column of a statistic over all kept draws of one chain.
std::vector<double> statistic(const Settings& settings, const std::string& name, const char* coordinates = "natural") {
  const auto chain = chain_of(settings, {50, 500, 1}, coordinates);
  const std::vector<StatSpec> specs = chain->stats();
  const auto at = std::find_if(specs.begin(), specs.end(), [&](const StatSpec& s) { return s.name == name; });
  EXPECT_NE(at, specs.end()) << name;
  Collect sink;
  chain->run_to(1000, sink, {});
  std::vector<double> column;
  for (auto i = static_cast<std::size_t>(at - specs.begin()); i < sink.stats.size(); i += specs.size())
    column.push_back(sink.stats[i]);
  return column;
}

TEST(Rhmc, FailedSolvesAreAStatistic) {
  const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  const Settings fine{{"step_size", "0.02"}, {"leapfrog_steps", "2"}}, coarse{{"step_size", "1.5"}};
  EXPECT_EQ(sum(statistic(fine, "solver_failed")), 0);
  EXPECT_EQ(sum(statistic(fine, "solver_failure")), 0);
  const auto failed = statistic(coarse, "solver_failed"), why = statistic(coarse, "solver_failure"),
             accepted = statistic(coarse, "acceptance_rate");
  EXPECT_GT(sum(failed), 10);
  for (std::size_t i = 0; i < failed.size(); ++i) {
    EXPECT_EQ(failed[i] == 1, why[i] != 0);
    EXPECT_TRUE(failed[i] == 0 || accepted[i] == 0);
  }
}

// Newton's iterations on gamma's metric are as few for "auto", and none where it is diag(1/theta); SoftAbs takes plain
// iteration there.
TEST(Rhmc, AutoSolvesByNewtonWhereTheMetricIsTheModels) {
  const auto iterations = [](const std::string& geometry, const std::string& solver) {
    return statistic({{"geometry", geometry}, {"solver", solver}, {"step_size", "0.1"}}, "solver_iterations",
                     "unconstrained");
  };
  const Settings fine{{"step_size", "0.02"}, {"leapfrog_steps", "2"}};
  for (const double closed : statistic(fine, "solver_iterations")) EXPECT_EQ(closed, 0);
  Settings newton = fine;
  newton["solver"] = "newton";
  for (const double solved : statistic(newton, "solver_iterations")) EXPECT_GE(solved, 2 * 4 * 2);
  EXPECT_EQ(iterations("auto", "auto"), iterations("auto", "newton"));
  EXPECT_NE(iterations("auto", "auto"), iterations("auto", "fixed_point"));
  EXPECT_EQ(iterations("softabs", "auto"), iterations("softabs", "fixed_point"));
}

TEST(Rhmc, AutoSolvesByNewtonWhereTheModelStatesItsHessian) {
  const auto stats = [](const std::string& solver) {
    ChainSpec spec;
    spec.schedule = {0, 20, 1};
    const Settings settings{{"solver", solver}, {"step_size", "0.3"}};
    Collect sink;
    find_sampler("rhmc").make(std::make_unique<Banana>(1.0, 0.7), config_of(settings), spec)->run_to(20, sink, {});
    return sink.stats;
  };
  EXPECT_EQ(stats("auto"), stats("newton"));
  EXPECT_NE(stats("auto"), stats("fixed_point"));
}

TEST(Rhmc, AStepSizeThatIsGivenIsKept) {
  for (const double size : statistic({{"step_size", "0.25"}}, "step_size_nom")) EXPECT_EQ(size, 0.25);
}

TEST(Rhmc, SaysWhereItsMetricIsNoMetric) {
  const auto target = test::curved_normal(true, true);
  SampleOptions options;
  options.chains = 1;
  options.initial = {Vec{{50, 1.0}}};
  try {
    sample(*target, find_sampler("rhmc"), config_of({}), options);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("not positive definite"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quasar
