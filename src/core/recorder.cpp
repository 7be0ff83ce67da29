#include "core/recorder.hpp"

#include <algorithm>
#include <utility>

namespace quasar {

constexpr std::int64_t most_numbers = 500'000;  // of positions of divergences, per chain

constexpr std::int64_t thinned_draws = 100;  // of each chain that Keep::thin stores

std::int64_t storage_stride(const Schedule& schedule, Keep keep) {
  if (keep != Keep::thin) return 1;
  return std::max<std::int64_t>(1, (schedule.kept(schedule.draws) + thinned_draws - 1) / thinned_draws);
}

Recorder::Recorder(const Recording& recording, std::unique_ptr<DrawStorage> storage, ChainProgress* progress)
    : recording_(recording),
      stride_(storage_stride(recording.schedule, recording.keep)),
      storage_(std::move(storage)),
      progress_(progress) {
  if (recording.keep == Keep::all) return;
  for (int member = 0; member < recording.members; ++member) moments_.emplace_back(recording.selection.layout.size());
}

// A draw may be large: it is copied only where a part of it is wanted.
std::span<const double> Recorder::selected(const Draw& draw) {
  const auto size = static_cast<std::size_t>(recording_.selection.layout.size());
  if (size == draw.values.size()) return draw.values;
  selected_.resize(size);
  copy_selected(recording_.selection, draw.values, selected_);
  return selected_;
}

void Recorder::on_draw(const Draw& draw) {
  const std::span<const double> wanted = selected(draw);
  if (!draw.warmup && !moments_.empty()) {
    moments_[static_cast<std::size_t>(draw.member)].add(Eigen::Map<const Vec>(wanted.data(), std::ssize(wanted)));
  }
  if (!is_stored(draw)) return;
  const std::span<const double> values = recording_.keep == Keep::moments ? std::span<const double>() : wanted;
  storage_->add_draw({draw.chain, draw.iteration, draw.member, draw.warmup, values, draw.stats});
}

bool Recorder::is_stored(const Draw& draw) const {
  const Schedule& schedule = recording_.schedule;
  const std::int64_t in_phase = draw.warmup ? draw.iteration : draw.iteration - schedule.warmup;
  return in_phase / schedule.thin % stride_ == 0;
}

void Recorder::on_step(std::int64_t iteration, const StepInfo& info) {
  counts_.gradient_evaluations += info.grad_evals;
  if (iteration + 1 == recording_.schedule.warmup) counts_.warmup_seconds = seconds();
  if (!progress_) return;
  progress_->step_size.store(info.step_size, std::memory_order_relaxed);
  progress_->iterations.store(iteration + 1, std::memory_order_relaxed);
}

void Recorder::on_event(const Event& event) {
  const bool in_warmup = event.iteration < recording_.schedule.warmup;
  if (!in_warmup) ++counts_.divergences;
  if (counts_.kept_divergences * event.x.size() < most_numbers) {
    ++counts_.kept_divergences;
    storage_->add_divergence(
        {event.chain, event.iteration, in_warmup, {event.x.data(), event.x.data() + event.x.size()}});
  }
  if (progress_ && !in_warmup) progress_->divergences.store(counts_.divergences, std::memory_order_relaxed);
}

double Recorder::seconds() const {
  return counts_.seconds + std::chrono::duration<double>(Clock::now() - began_).count();
}

StepCounts Recorder::counts() const {
  StepCounts now = counts_;
  now.seconds = seconds();
  return now;
}

void Recorder::go_on_from(const StepCounts& counts) {
  counts_ = counts;
  began_ = Clock::now();
  if (progress_) progress_->divergences.store(counts_.divergences, std::memory_order_relaxed);
}

ChainMoments result_of(const RunningMoments& moments) {
  const Vec sd = moments.variance().cwiseSqrt();
  return {moments.count(), moments.count() > 0 ? moments.mean() : sd, sd};
}

void add_counts(std::span<const StepCounts> chains, RunInfo& info) {
  double seconds = 0;
  bool warm = true;
  for (const StepCounts& counts : chains) {
    info.gradient_evaluations += counts.gradient_evaluations;
    info.divergences += counts.divergences;
    info.warmup_seconds = std::max(info.warmup_seconds, counts.warmup_seconds);
    seconds = std::max(seconds, counts.seconds);
    warm = warm && (counts.warmup_seconds > 0 || info.schedule.warmup == 0);
  }
  if (!warm) info.warmup_seconds = seconds;
  info.sampling_seconds = std::max(0.0, seconds - info.warmup_seconds);
}

}  // namespace quasar
