// Chains and the runner: the same bits for any number of threads, resuming, counting, stopping, and no allocation per
// step.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <stop_token>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>
#include <quasar/runner.hpp>
#include <quasar/sample.hpp>

#include "support/allocations.hpp"
#include "support/kernels.hpp"
#include "support/resuming.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

using test::Collect;
using test::Variant;

Config config_of(const SamplerEntry& sampler, const Settings& settings = {}) {
  return Config(sampler.name, sampler.params, settings);
}

std::unique_ptr<Chain> chain_of(const std::string& name, const Settings& settings, const Schedule& schedule) {
  const SamplerEntry& sampler = find_sampler(name);
  ChainSpec spec;
  spec.schedule = schedule;
  return sampler.make(std::make_unique<test::SkewedTarget>(), config_of(sampler, settings), spec);
}

std::vector<Variant> all_variants() {
  std::vector<Variant> all{{"qnhmc", {}},
                           {"qnhmc", {{"memory", "2"}}},
                           {"qnhmc", {{"form", "published"}}},
                           {"qnhmc", {{"adapt", "ensemble"}}},
                           {"qnhmc", {{"adapt", "printed"}}},
                           {"qnhmc", {{"adapt", "printed"}, {"memory", "2"}}},
                           {"hmc-bfgs", {{"members", "4"}}},
                           {"qnhmc-naive", {}},
                           {"rhmc", {}},
                           {"rnp-hmc", {}},
                           {"rnp-hmc-printed", {{"step_size", "0.1"}, {"leapfrog_steps", "3"}}},
                           {"sgr-nphmc", {{"gradient_noise", "4"}}},
                           {"sgr-nphmc-canonical", {{"gradient_noise", "4"}, {"leapfrog_steps", "3"}}},
                           {"sg-nphmc", {{"gradient_noise", "4"}, {"inject", "true"}}},
                           {"sg-nphmc-canonical", {{"gradient_noise", "4"}, {"leapfrog_steps", "3"}}},
                           {"hmc-em", {}},
                           {"hmc-em", {{"em_samples", "6"}, {"em_max_change", "2"}}},
                           {"hmc-em", {{"em_samples", "6"}, {"mass_shape", "diagonal"}, {"freeze", "true"}}},
                           {"sghmc", {{"gradient_noise", "4"}}},
                           {"sghmc-naive", {{"metropolis", "true"}}}};
  for (const char* sampler : {"sgld", "psgld", "hamcmc", "qn-langevin-naive", "sghmc", "sghmc-naive", "sgnht",
                              "sg-nphmc", "sg-nphmc-canonical", "sgd", "sgd-momentum", "rmsprop"}) {
    all.push_back({sampler, {}});
  }
  for (const char* sampler : {"nuts", "hmc", "np-hmc", "nh-hmc", "mala", "rwm"}) {
    for (const char* metric : {"identity", "welford", "welford_dense", "fisher_diag", "fisher_lowrank", "lbfgs"}) {
      all.push_back({sampler, {{"metric", metric}}});
    }
  }
  return all;
}

RunData sample_variant(const Target& target, const Variant& variant, const SampleOptions& options) {
  const SamplerEntry& sampler = find_sampler(variant.sampler);
  return sample(target, sampler, config_of(sampler, variant.settings), options);
}

TEST(Sample, ThreadsDoNotChangeABit) {
  const test::SkewedTarget target;
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.name());
    SampleOptions options;
    options.chains = 4;
    options.schedule = {200, 100, 1};
    options.threads = 1;
    const RunData one = sample_variant(target, variant, options);
    for (const int threads : {2, 4}) {
      options.threads = threads;
      const RunData many = sample_variant(target, variant, options);
      ASSERT_EQ(one.sampling.size(), many.sampling.size());
      for (std::size_t row = 0; row < one.sampling.size(); ++row) {
        EXPECT_EQ(one.sampling[row].values, many.sampling[row].values);
        EXPECT_EQ(one.sampling[row].stats, many.sampling[row].stats);
      }
      EXPECT_EQ(one.info.gradient_evaluations, many.info.gradient_evaluations);
    }
    EXPECT_NE(one.sampling[0].values, one.sampling[1].values);
  }
}

TEST(Chain, ContinuesBitForBitFromASavedState) {
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.name());
    const Schedule schedule{200, 60, 1};
    const auto chain = [&] { return chain_of(variant.sampler, variant.settings, schedule); };
    test::expect_resumes_bit_for_bit(chain, schedule.total(), {0, 1, 77, 130, 199, 200, 230});
  }
}

TEST(Chain, RefusesAStateOfAnotherShape) {
  Writer out;
  chain_of("nuts", {{"metric", "welford"}}, {10, 10, 1})->save(out);
  Reader other(out.bytes());
  EXPECT_THROW(chain_of("nuts", {{"metric", "welford_dense"}}, {10, 10, 1})->load(other), DataError);
  Reader cut(std::string_view(out.bytes()).substr(0, out.bytes().size() - 3));
  EXPECT_THROW(chain_of("nuts", {{"metric", "welford"}}, {10, 10, 1})->load(cut), DataError);
}

TEST(Chain, KeepsCeilOfDrawsOverThin) {
  for (const std::int64_t thin : {1, 2, 3, 7, 100}) {
    Collect kept;
    chain_of("rwm", {}, {20, 50, thin})->run_to(1000, kept, {});
    EXPECT_EQ(kept.steps, 70);
    EXPECT_EQ(static_cast<std::int64_t>(kept.values.size()), 3 * ((50 + thin - 1) / thin));
  }
}

TEST(Chain, ThinningTakesEveryNthOfTheSameDraws) {
  Collect all, third;
  chain_of("nuts", {}, {50, 30, 1})->run_to(1000, all, {});
  chain_of("nuts", {}, {50, 30, 3})->run_to(1000, third, {});
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(third.values[3 * i + j], all.values[9 * i + j]);
  }
}

// Members share nothing but what they learn from each other: each has its own row, in order.
TEST(Sample, EveryMemberOfAnEnsembleIsARow) {
  SampleOptions options;
  options.chains = 2;
  options.schedule = {50, 30, 3};
  options.save_warmup = true;
  const RunData run = sample_variant(test::SkewedTarget(), {"hmc-bfgs", {{"members", "4"}}}, options);
  EXPECT_EQ(run.info.members, 4);
  ASSERT_EQ(run.sampling.size(), 8U);
  ASSERT_EQ(run.warmup.size(), 8U);
  for (std::size_t row = 0; row < 8; ++row) {
    EXPECT_EQ(run.sampling[row].draws, 10);
    EXPECT_EQ(run.warmup[row].draws, 17);
    for (std::size_t other = 0; other < row; ++other) {
      EXPECT_NE(run.sampling[row].values, run.sampling[other].values);
    }
  }
}

// A draw of it would not fit into a run file beside the dimension of that name.
TEST(Sample, AVariableWithTheNameOfADimensionCanBeLeftOut) {
  struct Named final : Target {
    std::unique_ptr<Target> fork() const override { return std::make_unique<Named>(*this); }
    Index dim() const override { return 2; }
    Layout layout() const override { return {{{"chain", {}, {}}, {"x", {}, {}}}, {}}; }
    Eval logp_grad(In x, Out grad) override {
      grad = -x;
      return {-0.5 * x.squaredNorm()};
    }
  };
  SampleOptions options;
  options.schedule = {10, 10, 1};
  EXPECT_THROW(sample_variant(Named(), {"nuts", {}}, options), UsageError);
  options.variables = {"x"};
  EXPECT_EQ(sample_variant(Named(), {"nuts", {}}, options).sampling[0].values.size(), 10U);
}

TEST(Chain, StopsAfterTheIterationUnderWay) {
  std::stop_source stop;
  Collect sink;
  sink.stop_at_100 = &stop;
  const auto chain = chain_of("nuts", {}, {50, 1000, 1});
  chain->run_to(5000, sink, stop.get_token());
  EXPECT_EQ(chain->iteration(), 100);
  EXPECT_EQ(sink.values.size(), 3U * 50);
}

TEST(Chain, CountsEveryGradientFromTheFirstPointOn) {
  struct Counting final : Target {
    std::shared_ptr<std::atomic<long>> count = std::make_shared<std::atomic<long>>(0);
    test::SkewedTarget inner;
    std::unique_ptr<Target> fork() const override { return std::make_unique<Counting>(*this); }
    Index dim() const override { return 3; }
    Eval logp_grad(In x, Out grad) override {
      ++*count;
      return inner.logp_grad(x, grad);
    }
  };
  for (const Variant& variant : all_variants()) {
    const Counting target;
    SampleOptions options;
    options.schedule = {300, 50, 1};
    const RunData run = sample_variant(target, variant, options);
    EXPECT_EQ(run.info.gradient_evaluations, *target.count) << variant.name();
  }
}

TEST(Chain, AStepSizeThatIsGivenIsKept) {
  Collect sink;
  chain_of("nuts", {{"step_size", "0.25"}}, {200, 20, 1})->run_to(1000, sink, {});
  const auto specs = chain_of("nuts", {}, {})->stats();
  const auto at = static_cast<std::size_t>(
      std::find_if(specs.begin(), specs.end(), [](const StatSpec& s) { return s.name == "step_size"; }) -
      specs.begin());
  for (std::size_t i = at; i < sink.stats.size(); i += specs.size()) EXPECT_EQ(sink.stats[i], 0.25);
}

TEST(Runner, AStopAtTheVeryEndIsNotEarly) {
  std::stop_source stop;
  Collect sink;
  sink.stop_at_100 = &stop;
  std::vector<std::unique_ptr<Chain>> chains;
  chains.push_back(chain_of("nuts", {}, {50, 50, 1}));
  Sink* const sinks[] = {&sink};
  EXPECT_TRUE(run_chains(chains, sinks, 1, stop.get_token()));
  EXPECT_EQ(sink.steps, 100);
}

TEST(Sample, RefusesOptionsThatContradict) {
  const SamplerEntry& nuts = find_sampler("nuts");
  const auto refuses = [&](const SampleOptions& options) {
    EXPECT_THROW(sample(test::SkewedTarget(), nuts, config_of(nuts), options), UsageError);
  };
  refuses({.chains = 0});
  refuses({.schedule = {10, 10, 0}});
  refuses({.initial = {Vec::Zero(3)}});
}

TEST(Runner, AnErrorInOneChainStopsTheOthersAndIsReported) {
  struct Exploding final : Target {
    int evaluations = 0;
    std::unique_ptr<Target> fork() const override { return std::make_unique<Exploding>(*this); }
    Index dim() const override { return 1; }
    Eval logp_grad(In x, Out grad) override {
      if (++evaluations > 500) throw RunError("exploded");
      grad[0] = -x[0];
      return {-0.5 * x[0] * x[0]};
    }
  };
  SampleOptions options;
  options.schedule = {1000, 1'000'000'000, 1};
  try {
    sample(Exploding(), find_sampler("nuts"), config_of(find_sampler("nuts")), options);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("iteration"), std::string::npos) << error.what();
  }
}

struct Nowhere final : Target {  // no point has a finite density
  std::unique_ptr<Target> fork() const override { return std::make_unique<Nowhere>(*this); }
  Index dim() const override { return 2; }
  Eval logp_grad(In, Out grad) override {
    grad.setZero();
    return {std::nan("")};
  }
};

TEST(InitialPoint, ATargetWithoutOneIsANamedError) {
  try {
    sample(Nowhere(), find_sampler("nuts"), config_of(find_sampler("nuts")), {});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("log density is nan"), std::string::npos) << error.what();
  }
}

TEST(InitialPoint, ABadGivenPointIsAnError) {
  SampleOptions options;
  options.chains = 1;
  options.initial = {Vec::Zero(2)};
  EXPECT_THROW(sample(test::SkewedTarget(), find_sampler("nuts"), config_of(find_sampler("nuts")), options),
               UsageError);
}

TEST(Kernels, AllocateNothingPerStep) {
  test::SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    const Rng rng(1);
    Vec x = Vec::Zero(3);
    auto s = kernel.init(x, rng);
    kernel.step(x, s, rng.at(0));
    const long before = test::allocation_count;
    for (std::uint64_t i = 1; i < 200; ++i) kernel.step(x, s, rng.at(i));
    EXPECT_EQ(test::allocation_count - before, 0) << name;
  });
  EXPECT_GT(test::allocation_count, 0);  // the counter counts
}

TEST(Chain, AllocatesNothingPerIteration) {
  struct Discard final : Sink {
    void on_draw(const Draw&) override {}
  } sink;
  for (const Variant& variant : all_variants()) {
    const auto chain = chain_of(variant.sampler, variant.settings, {1000, 1000, 1});
    chain->run_to(1, sink, {});
    chain->run_to(1100, sink, {});
    const long before = test::allocation_count;
    chain->run_to(2000, sink, {});
    EXPECT_EQ(test::allocation_count - before, 0) << variant.name();
  }
}

}  // namespace
}  // namespace quasar
