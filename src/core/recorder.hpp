// Keeps one chain's draws, and what the run has to know of its steps.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/layout.hpp>
#include <quasar/run_data.hpp>
#include <quasar/sample.hpp>

#include "core/running_moments.hpp"

namespace quasar {

struct DrawStorage {  // where one chain's draws go: memory, or a file of records
  virtual ~DrawStorage() = default;
  virtual void add_draw(const Draw& draw) = 0;
  virtual void add_divergence(const Divergence& divergence) = 0;
};

struct MemoryStorage final : DrawStorage {
  std::vector<ChainDraws> sampling, warmup;  // one per member
  std::vector<Divergence> divergences;
  explicit MemoryStorage(int members)
      : sampling(static_cast<std::size_t>(members)), warmup(static_cast<std::size_t>(members)) {}
  void add_draw(const Draw& draw) override {
    (draw.warmup ? warmup : sampling)[static_cast<std::size_t>(draw.member)].append(draw.values, draw.stats);
  }
  void add_divergence(const Divergence& divergence) override { divergences.push_back(divergence); }
};

struct StepCounts {
  std::int64_t gradient_evaluations = 0;
  std::int64_t divergences = 0;       // after warm-up
  std::int64_t kept_divergences = 0;  // with their positions: the first of them, a few megabytes
  double warmup_seconds = 0;          // from the start to the end of warm-up
  double seconds = 0;                 // in all, over every time the run was resumed
  static void fields(auto& self, auto&& visit) {
    visit("gradient_evaluations", self.gradient_evaluations);
    visit("divergences", self.divergences);
    visit("kept_divergences", self.kept_divergences);
    visit("warmup_seconds", self.warmup_seconds);
    visit("seconds", self.seconds);
  }
};

// Of the draws that thinning leaves in one phase, every n-th is stored.
std::int64_t storage_stride(const Schedule& schedule, Keep keep);

struct Recording {  // what a recorder keeps
  Schedule schedule;
  Keep keep = Keep::all;
  int members = 1;
  const Selection& selection;  // what of a draw
};

class Recorder final : public Sink {
 public:
  Recorder(const Recording& recording, std::unique_ptr<DrawStorage> storage, ChainProgress* progress);

  void on_draw(const Draw& draw) override;
  void on_step(std::int64_t iteration, const StepInfo& info) override;
  void on_event(const Event& event) override;

  StepCounts counts() const;
  void go_on_from(const StepCounts& counts);                   // of an earlier process
  double seconds() const;                                      // in all, over every time the run was resumed
  std::vector<RunningMoments>& moments() { return moments_; }  // one per member; empty: every draw is stored
  DrawStorage& storage() { return *storage_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_stored(const Draw& draw) const;
  std::span<const double> selected(const Draw& draw);

  Recording recording_;
  std::int64_t stride_;
  std::vector<RunningMoments> moments_;
  std::unique_ptr<DrawStorage> storage_;
  ChainProgress* progress_;
  StepCounts counts_;
  std::vector<double> selected_;  // of one draw, where not all of it is
  Clock::time_point began_ = Clock::now();
};

ChainMoments result_of(const RunningMoments& moments);

// What the counts of all chains say about the run.
void add_counts(std::span<const StepCounts> chains, RunInfo& info);

}  // namespace quasar
