// Ranks that run chains together or share them out, here threads of one process: the bits of one process alone, however
// many they are and wherever they stop; and an end instead of a wait when they drift apart.
#include "core/in_step.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "core/together.hpp"
#include "io/durable_run.hpp"
#include "io/run_file.hpp"
#include "support/breaks_down.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"
#include "support/thread_exchange.hpp"

namespace quasar {
namespace {

using test::run_ranks;
using test::TempFolder;
namespace fs = std::filesystem;

// A target whose gradient only rank 0 knows before the ranks add theirs: a chain of it must be run in step.
class SharedTarget final : public Target {
 public:
  SharedTarget(Exchange& exchange, const Target& whole) : exchange_(exchange), whole_(whole.fork()) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<SharedTarget>(exchange_, *whole_); }
  Index dim() const override { return whole_->dim(); }
  Eval logp_grad(In x, Out grad) override {
    exchange_.times.gradient = exchange_.rank();
    Vec sum = Vec::Zero(dim() + 1);
    if (exchange_.rank() == 0) sum[dim()] = whole_->logp_grad(x, sum.head(dim())).logp;
    exchange_.sum({sum.data(), static_cast<std::size_t>(sum.size())});
    grad = sum.head(dim());
    return {sum[dim()]};
  }

 private:
  Exchange& exchange_;
  std::unique_ptr<Target> whole_;
};

enum class Way { alone, in_step, dealt };

struct Trial {
  Way way = Way::alone;
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();  // of each rank, then it breaks down
  std::stop_token stop = {};
  std::vector<RankTimes>* times = nullptr;
};

RunEnd run(const Trial& trial, Exchange& exchange, const Durability& durability) {
  const SamplerEntry& nuts = find_sampler("nuts");
  const Config parameters(nuts.name, nuts.params, {{"metric", "fisher_diag"}});
  SampleOptions options{.chains = 3, .schedule = {60, 80, 2}, .threads = 2, .save_warmup = true};
  if (trial.way == Way::in_step) options.exchange = &exchange;
  RunInfo info;
  info.model = "skewed";
  info.configuration = R"({"run":{},"model":{},"sampler":{}})";
  const test::BreaksDown whole(trial.evaluations);
  const SharedTarget shared(exchange, whole);
  SamplingJob job{trial.way == Way::in_step ? static_cast<const Target&>(shared) : whole, nuts, parameters, options,
                  info};
  if (trial.way == Way::dealt) job.dealt_over = &exchange;
  job.times = trial.times;
  return sample_durably(job, durability, {}, trial.stop);
}

void run_to_the_end(int ranks, Way way, const Durability& durability) {
  run_ranks(ranks, [&](Exchange& exchange) { EXPECT_EQ(run({way}, exchange, durability), RunEnd::complete); });
}

// What each rank ends with: its error, or nothing. One that leaves the exchange broken ends the job.
std::vector<std::string> errors(int ranks, const std::function<void(Exchange&)>& body) {
  std::vector<std::string> said(static_cast<std::size_t>(ranks));
  const auto tell = [&](Exchange& exchange) {
    try {
      body(exchange);
    } catch (const std::exception& error) {
      said[static_cast<std::size_t>(exchange.rank())] = error.what();
      if (exchange.broken) throw;
    }
  };
  try {
    run_ranks(ranks, tell);
  } catch (const std::exception&) {
  }
  return said;
}

void expect_same_draws(const fs::path& file, const RunData& whole) {
  const RunData found = read_run(file);
  ASSERT_EQ(found.sampling.size(), whole.sampling.size());
  for (std::size_t i = 0; i < whole.sampling.size(); ++i) {
    EXPECT_EQ(found.sampling[i].values, whole.sampling[i].values);
    EXPECT_EQ(found.sampling[i].stats, whole.sampling[i].stats);
    EXPECT_EQ(found.warmup[i].values, whole.warmup[i].values);
    EXPECT_EQ(found.tuning[i].step_size, whole.tuning[i].step_size);
    EXPECT_EQ(found.tuning[i].inverse_metric, whole.tuning[i].inverse_metric);
  }
  EXPECT_EQ(found.info.gradient_evaluations, whole.info.gradient_evaluations);
  EXPECT_FALSE(found.info.stopped_early);
}

class ManyRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    OneProcess alone;
    ASSERT_EQ(run({}, alone, {folder.file("whole.nc")}), RunEnd::complete);
    whole = read_run(folder.file("whole.nc"));
  }
  TempFolder folder;
  fs::path out = folder.file("run.nc"), part = folder.file("run.nc.part");
  RunData whole;
};

TEST_F(ManyRanks, GiveTheDrawsOfOneProcess) {
  for (const Way way : {Way::in_step, Way::dealt}) {
    for (const int ranks : {1, 2, 4}) {
      run_to_the_end(ranks, way, {out});
      expect_same_draws(out, whole);
      EXPECT_FALSE(fs::exists(part));
      fs::remove(out);
    }
  }
}

TEST_F(ManyRanks, ResumeWhatAnotherNumberHasLeft) {
  const std::int64_t evaluations = whole.info.gradient_evaluations;
  for (const Way way : {Way::in_step, Way::dealt}) {
    for (const int divisor : {2, 5}) {
      const auto said = errors(3, [&](Exchange& exchange) {
        run({way, evaluations / divisor / (way == Way::in_step ? 1 : 3)}, exchange, {out, true, false, 7});
      });
      EXPECT_NE((said[0] + said[1] + said[2]).find("broke down"), std::string::npos);
      EXPECT_TRUE(fs::exists(part / "chain-1.state"));
      const Way other = way == Way::in_step ? Way::dealt : Way::in_step;
      errors(2, [&](Exchange& exchange) { run({other, evaluations / 20}, exchange, {out, true, false, 11}); });
      run_to_the_end(divisor, way, {out, true});
      expect_same_draws(out, whole);
      fs::remove(out);
    }
  }
}

TEST_F(ManyRanks, StopWhenOneIsAskedTo) {
  std::stop_source stopped;
  stopped.request_stop();
  for (const Way way : {Way::in_step, Way::dealt}) {
    run_ranks(3, [&](Exchange& exchange) {
      const Trial trial{.way = way, .stop = exchange.rank() == 1 ? stopped.get_token() : std::stop_token{}};
      EXPECT_NE(run(trial, exchange, {out}), RunEnd::complete);
    });
    run_to_the_end(2, way, {out, true});
    expect_same_draws(out, whole);
    fs::remove(out);
  }
}

TEST_F(ManyRanks, AFileThatIsDamagedEndsAll) {
  errors(2, [&](Exchange& exchange) { run({Way::in_step, 300}, exchange, {out, false, false, 5}); });
  fs::resize_file(part / "chain-2.state", fs::file_size(part / "chain-2.state") / 2);
  for (const Way way : {Way::in_step, Way::dealt}) {
    const auto said = errors(3, [&](Exchange& exchange) { run({way}, exchange, {out, true}); });
    const std::size_t reads = way == Way::in_step ? 0 : 1;
    for (std::size_t rank = 0; rank < said.size(); ++rank) {
      const std::string expected = rank == reads ? "chain-2.state" : "has failed";
      EXPECT_NE(said[rank].find(expected), std::string::npos) << rank << ": " << said[rank];
    }
  }
}

TEST_F(ManyRanks, WithChainsOfTheirOwnSeeOneFolder) {
  TempFolder elsewhere;
  const auto said = errors(2, [&](Exchange& exchange) {
    run({Way::dealt}, exchange, {exchange.rank() == 0 ? out : elsewhere.file("run.nc")});
  });
  EXPECT_NE(said[1].find("is not the folder that rank 0 has made"), std::string::npos) << said[1];
  EXPECT_EQ(said[0], "rank 1 has failed");
}

TEST_F(ManyRanks, AreTimed) {
  run_ranks(2, [&](Exchange& exchange) {
    std::vector<RankTimes> times;
    run({.way = Way::in_step, .times = &times}, exchange, {out});
    ASSERT_EQ(times.size(), 2U);
    for (const RankTimes& rank : times) EXPECT_GT(rank.total, 0);
    EXPECT_EQ(times[1].work.gradient, 1);  // as SharedTarget has it
    EXPECT_EQ(times[0].work.gradient, 0);
  });
}

struct Unseen final : Sink {
  void on_draw(const Draw&) override {}
};

// How rank 0 of two ends. Their chains have nothing to say to each other, so that only run_in_step can notice.
std::string end_of_drift(std::uint64_t seed_of_rank_1, std::int64_t head_start, std::int64_t draws = 200,
                         const Checkpointing& checkpointing = {}) {
  const auto said = errors(2, [&](Exchange& exchange) {
    const SamplerEntry& nuts = find_sampler("nuts");
    const bool other = exchange.rank() == 1;
    const ChainSpec spec{{0, draws, 1}, other ? seed_of_rank_1 : 1, 0, true};
    std::vector<std::unique_ptr<Chain>> chains;
    chains.push_back(nuts.make(std::make_unique<test::SkewedTarget>(), Config(nuts.name, nuts.params, {}), spec));
    Unseen sink;
    Sink* const sinks[] = {&sink};
    if (other) chains[0]->run_to(head_start, sink, {});
    run_in_step(chains, sinks, exchange, {}, checkpointing);
  });
  return said[0];
}

TEST(InStep, RanksThatDriftApartEnd) {
  const auto expect_end = [](const std::string& said, const std::string& because) {
    EXPECT_NE(said.find(because), std::string::npos) << said;
  };
  expect_end(end_of_drift(2, 0), "the ranks have drawn different numbers");
  expect_end(end_of_drift(1, 3), "the ranks are not at the same iteration");
  EXPECT_EQ(end_of_drift(1, 0), "");
}

TEST(InStep, NothingIsSavedOrEndsUnproven) {
  EXPECT_NE(end_of_drift(2, 0, 1).find("different numbers"), std::string::npos);  // a slice, and nothing after it
  bool saved = false;
  const Checkpointing after_each{1, [&](std::size_t) { saved = true; }};
  EXPECT_NE(end_of_drift(2, 0, 1, after_each).find("different numbers"), std::string::npos);
  EXPECT_FALSE(saved);
}

TEST(Together, TheFirstThatFailsTells) {
  const auto said = errors(4, [](Exchange& exchange) {
    together(exchange, [&] {
      if (exchange.rank() == 1 || exchange.rank() == 3) throw DataError("no such file");
    });
  });
  EXPECT_EQ(said,
            (std::vector<std::string>{"rank 1 has failed", "no such file", "rank 1 has failed", "rank 1 has failed"}));
}

TEST(Together, AllHaveTheSameNumberOrNot) {
  run_ranks(3, [](Exchange& exchange) {
    EXPECT_TRUE(all_have(exchange, std::uint64_t{1} << 63));
    EXPECT_FALSE(all_have(exchange, exchange.rank() == 2 ? 7 : 8));
  });
}

}  // namespace
}  // namespace quasar
