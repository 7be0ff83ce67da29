// A library compiled without threads is entered by one thread at a time, and stands beside no library that has them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>
#include <quasar/rng.hpp>
#include <quasar/sample.hpp>

#include "support/error_message.hpp"
#include "support/stan_programs.hpp"
#include "targets/stan_model.hpp"

namespace quasar {
namespace {

const std::string without_threads = test::stan_program("gaussian_without_threads");

// The library aborts when two threads are in it, and stays in itself for a while.
TEST(StanThreads, RunsThatOverlapTakeTurns) {
  const auto work = [] {
    StanModel target(without_threads, {.data = R"({"microseconds":100})"});
    const auto fork = target.fork();
    Vec grad(3), values(5);
    for (int i = 0; i < 100; ++i) {
      const Vec x = Vec::Constant(3, i);
      fork->logp_grad(x, grad);
      target.constrain(x, values, Rng(1));
      target.unconstrain(values, grad);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

TEST(StanThreads, ChainsRunOnOneThread) {
  const StanModel target(without_threads);
  EXPECT_EQ(target.threads(), Threads::one);
  const SamplerEntry& nuts = find_sampler("nuts");
  SampleOptions options;
  options.schedule = {50, 50, 1};
  options.threads = 4;
  const RunData run = sample(target, nuts, {nuts.name, nuts.params, {}}, options);
  EXPECT_EQ(common_draws(run.sampling), 50);
}

TEST(StanThreads, BothKindsInOneProcess) {
  const StanModel first(without_threads);
  const std::string file = test::stan_program("gaussian");
  EXPECT_EQ(test::error_message<UsageError>([&] {
              StanModel{file};
            }).rfind(file + ": is compiled with STAN_THREADS, and this process has loaded a model without it", 0),
            0U);
  EXPECT_EQ(dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << "loading it can crash already";
  EXPECT_NO_THROW(StanModel{without_threads});
}

[[noreturn]] void load_both_kinds_of_which_the_first_is_refused() {
  test::error_message<DataError>([] { StanModel{test::stan_program("version_7")}; });
  test::error_message<UsageError>([] { StanModel{without_threads}; });
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

// In a process of its own, which has not loaded anything before.
TEST(StanThreadsDeathTest, ALibraryThatIsRefusedStaysInTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(load_both_kinds_of_which_the_first_is_refused(), testing::ExitedWithCode(0), "");
}

// Where the symbols do not tell, the program itself does.
TEST(StanThreads, ALibraryThatHidesItsSymbols) {
  const StanModel first(without_threads);
  EXPECT_THROW(StanModel{test::stan_program("shapes")}, UsageError);
}

}  // namespace
}  // namespace quasar
