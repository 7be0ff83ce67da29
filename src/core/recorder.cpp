#include "core/recorder.hpp"

namespace quasar {

constexpr std::int64_t most_numbers = 500'000;  // of positions of divergences, per chain
Recorder::Recorder(const Schedule& schedule, std::span<const Index> elements, ChainProgress* progress)
    : warmup_iterations_(schedule.warmup), elements_(elements), progress_(progress), kept_(elements.size()) {}

void Recorder::on_draw(const Draw& draw) {
  for (std::size_t i = 0; i < elements_.size(); ++i) kept_[i] = draw.values[static_cast<std::size_t>(elements_[i])];
  (draw.warmup ? warmup : sampling).append(kept_, draw.stats);
}

void Recorder::on_step(std::int64_t iteration, const StepInfo& info) {
  gradient_evaluations += info.grad_evals;
  if (iteration + 1 == warmup_iterations_) {
    warmup_seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  }
  if (!progress_) return;
  progress_->step_size.store(info.step_size, std::memory_order_relaxed);
  progress_->iterations.store(iteration + 1, std::memory_order_relaxed);
}

void Recorder::on_event(const Event& event) {
  const bool in_warmup = event.iteration < warmup_iterations_;
  if (!in_warmup) ++divergences_after_warmup;
  if (std::ssize(divergences) * event.x.size() < most_numbers) {
    divergences.push_back({event.chain, event.iteration, in_warmup, {event.x.data(), event.x.data() + event.x.size()}});
  }
  if (progress_ && !in_warmup) progress_->divergences.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace quasar
