// Keeps one chain's draws in memory, with what the run has to know of its steps.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/run_data.hpp>
#include <quasar/sample.hpp>

namespace quasar {

class Recorder final : public Sink {
 public:
  // elements: the positions of a draw to keep, in order.
  Recorder(const Schedule& schedule, std::span<const Index> elements, ChainProgress* progress);

  void on_draw(const Draw& draw) override;
  void on_step(std::int64_t iteration, const StepInfo& info) override;
  void on_event(const Event& event) override;

  ChainDraws sampling, warmup;
  std::vector<Divergence> divergences;  // the first of them, as many as fit into a few megabytes
  std::int64_t divergences_after_warmup = 0;
  std::int64_t gradient_evaluations = 0;
  double warmup_seconds = 0;  // from construction to the end of warm-up

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t warmup_iterations_;
  std::span<const Index> elements_;
  ChainProgress* progress_;
  std::vector<double> kept_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace quasar
