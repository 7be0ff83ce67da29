#include "core/recorder.hpp"

#include <utility>

namespace quasar {
namespace {

double seconds_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Recorder::Recorder(const Schedule& schedule, std::span<const Index> elements, ChainProgress* progress)
    : warmup_iterations_(schedule.warmup),
      elements_(elements),
      progress_(progress),
      kept_(elements.size()),
      phase_began_(Clock::now()) {}

void Recorder::on_draw(const Draw& draw) {
  for (std::size_t i = 0; i < elements_.size(); ++i) kept_[i] = draw.values[static_cast<std::size_t>(elements_[i])];
  (draw.warmup ? warmup : sampling).append(kept_, draw.stats);
}

void Recorder::on_step(std::int64_t iteration, const StepInfo& info) {
  if (!started_) {  // the recorder is made before its chain's turn comes; the clock is the chain's
    started_ = true;
    phase_began_ = Clock::now();
  }
  gradient_evaluations += info.grad_evals;
  if (iteration + 1 == warmup_iterations_) {
    const Clock::time_point now = Clock::now();
    warmup_seconds = seconds_between(std::exchange(phase_began_, now), now);
  }
  if (!progress_) return;
  progress_->step_size.store(info.step_size, std::memory_order_relaxed);
  progress_->iterations.store(iteration + 1, std::memory_order_relaxed);
}

void Recorder::on_event(const Event& event) {
  const bool in_warmup = event.iteration < warmup_iterations_;
  divergences.push_back({event.chain, event.iteration, in_warmup, {event.x.data(), event.x.data() + event.x.size()}});
  if (progress_ && !in_warmup) progress_->divergences.fetch_add(1, std::memory_order_relaxed);
}

void Recorder::on_end(bool) {
  const bool in_warmup = warmup_iterations_ > 0 && warmup_seconds == 0;
  (in_warmup ? warmup_seconds : sampling_seconds) = seconds_between(phase_began_, Clock::now());
}

}  // namespace quasar
