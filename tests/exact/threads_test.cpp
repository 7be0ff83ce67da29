// Which threads evaluate a target is the target's to say, and runs may overlap in one process.
#include <cblas.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "core/blas_threads.hpp"
#include "core/shared_work.hpp"
#include "io/durable_run.hpp"
#include "io/run_file.hpp"
#include "support/targets.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

// Eight threads begin before the caller takes its first piece: what only the caller may do has to be done even then.
TEST(SharedWork, HasAFirstPieceForTheCaller) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::vector<std::thread::id> by(8);
    share_work(by.size(), by.size(), [&](std::size_t, std::size_t piece) { by[piece] = std::this_thread::get_id(); });
    EXPECT_EQ(by[0], std::this_thread::get_id());
    for (const auto& id : by) EXPECT_NE(id, std::thread::id());
  }
}

// A standard normal that knows how many threads are inside it.
class Watched final : public Target {
 public:
  explicit Watched(Threads allowed) : allowed_(allowed) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Watched>(*this); }
  Index dim() const override { return 2; }
  Threads threads() const override { return allowed_; }
  Eval logp_grad(In x, Out grad) override {
    const int inside = ++shared_->inside;
    if (inside > shared_->most) shared_->most = inside;
    std::this_thread::yield();
    grad = -x;
    --shared_->inside;
    return {-0.5 * x.squaredNorm()};
  }
  int most_at_once() const { return shared_->most; }

 private:
  struct Shared {
    std::atomic<int> inside = 0, most = 0;
  };
  Threads allowed_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Every fork waits in its first evaluation as a chain, after those that make the chains one by one, until all others
// are there too; then nobody waits any more. An error: they do not all come.
class WaitsForAll final : public Target {
 public:
  explicit WaitsForAll(int forks) : shared_(std::make_shared<Shared>()) { shared_->awaited = forks; }

  std::unique_ptr<Target> fork() const override { return std::make_unique<WaitsForAll>(*this); }
  Index dim() const override { return 2; }
  Threads threads() const override { return Threads::per_chain; }
  Eval logp_grad(In x, Out grad) override {
    constexpr int while_chains_are_made = 2;
    if (++evaluations_ == while_chains_are_made + 1) meet();
    grad = -x;
    return {-0.5 * x.squaredNorm()};
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    int awaited = 0;
  };
  void meet() {
    std::unique_lock lock(shared_->mutex);
    --shared_->awaited;
    shared_->changed.notify_all();
    const bool all_came =
        shared_->changed.wait_for(lock, std::chrono::seconds(10), [this] { return shared_->awaited <= 0; });
    if (!all_came) throw std::runtime_error("the other chains do not run");
  }
  std::shared_ptr<Shared> shared_;
  int evaluations_ = 0;
};

SampleOptions four_chains(int threads) {
  SampleOptions options;
  options.chains = 4;
  options.schedule = {0, 200, 1};
  options.threads = threads;
  return options;
}

const SamplerEntry& hmc() { return find_sampler("hmc"); }

Config half_steps() { return {hmc().name, hmc().params, {{"step_size", "0.5"}}}; }

RunData draw(const Target& target, int threads) { return sample(target, hmc(), half_steps(), four_chains(threads)); }

RunEnd draw_durably(const Target& target, int threads) {
  const test::TempFolder folder;
  return sample_durably({target, hmc(), half_steps(), four_chains(threads), {}}, {folder.file("run.nc")}, {}, {});
}

TEST(Threads, OneIsOneHoweverManyAreAskedFor) {
  const Watched in_memory(Threads::one), durable(Threads::one);
  draw(in_memory, 4);
  draw_durably(durable, 4);
  EXPECT_EQ(in_memory.most_at_once(), 1);
  EXPECT_EQ(durable.most_at_once(), 1);
}

TEST(Threads, PerChainIsEnoughForAllToMeet) {
  EXPECT_EQ(draw(WaitsForAll(4), 1).sampling.size(), 4U);
  EXPECT_EQ(draw_durably(WaitsForAll(4), 1), RunEnd::complete);
}

TEST(Threads, TheDrawsDoNotDependOnThem) {
  const RunData any = draw(Watched(Threads::any), 2);
  for (const Threads allowed : {Threads::one, Threads::per_chain}) {
    EXPECT_EQ(draw(Watched(allowed), 2).sampling[3].values, any.sampling[3].values);
  }
}

TEST(OverlappingRuns, BlasStaysOnOneThreadUntilTheLastHasEnded) {
  openblas_set_num_threads(2);
  {
    auto first = std::make_unique<SingleThreadedBlas>();
    const SingleThreadedBlas second;
    EXPECT_EQ(openblas_get_num_threads(), 1);
    first.reset();
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

TEST(OverlappingRuns, FilesAreWrittenAndReadSideBySide) {
  const test::TempFolder folder;
  const RunData run = draw(Watched(Threads::any), 2);
  const auto work = [&](int i) {
    const auto path = folder.file("run-" + std::to_string(i) + ".nc");
    for (int round = 0; round < 5; ++round) {
      write_run(path, run);
      EXPECT_EQ(read_run(path).sampling[2].values, run.sampling[2].values);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
}

}  // namespace
}  // namespace quasar
