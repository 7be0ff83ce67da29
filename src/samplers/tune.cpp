#include "samplers/tune.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>

#include "integrators/difference_hessian.hpp"
#include "integrators/potential.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t rungs = 4, factor = 3;
constexpr std::array<Index, rungs> points_at{30, 100, 300, 500};  // draws that the discrepancy is taken of, by rung

// Keeps positions at a stride that doubles whenever there are too many: evenly spaced, however long the chain gets.
class Trace final : public Sink {
 public:
  Trace(const Target& target, const std::vector<StatSpec>& stats) : target_(&target) {
    for (std::size_t i = 0; i < stats.size(); ++i) {
      if (stats[i].name == "data_passes") passes_stat_ = i;
    }
  }

  void on_draw(const Draw& draw) override {
    (draw.warmup ? warmup_passes_ : passes_) += draw.stats[passes_stat_];
    if (draw.warmup || seen_++ % stride_ != 0) return;
    const Eigen::Map<const Vec> values(draw.values.data(), static_cast<Index>(draw.values.size()));
    kept_.emplace_back(target_->dim());
    target_->unconstrain(values, kept_.back());
    if (std::ssize(kept_) == most) halve();
  }

  double passes() const { return passes_; }  // since the end of warm-up
  double all_passes() const { return warmup_passes_ + passes_; }

  // Evenly spaced, the first tenth left out.
  Mat points(Index count) const {
    const Index first = std::ssize(kept_) / 10, rest = std::ssize(kept_) - first;
    count = std::min(count, rest);
    Mat chosen(target_->dim(), count);
    for (Index i = 0; i < count; ++i) chosen.col(i) = kept_[static_cast<std::size_t>(first + i * rest / count)];
    return chosen;
  }

 private:
  static constexpr Index most = 1000;
  void halve() {
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
    kept_.resize((kept_.size() + 1) / 2);
    stride_ *= 2;
  }

  const Target* target_;
  std::size_t passes_stat_ = 0;
  double warmup_passes_ = 0, passes_ = 0;
  std::int64_t seen_ = 0, stride_ = 1;
  std::vector<Vec> kept_;
};

// One setting: a chain that starts near the mode and can go on where it stopped.
class Run {
 public:
  Run(const Target& target, const SamplerEntry& sampler, const Settings& settings, const Vec& start, const Trial& what,
      std::uint64_t seed)
      : trial(what), target_(target.fork()) {
    constexpr std::int64_t warmup = 20;  // for samplers that learn; few, since they count
    ChainSpec spec;
    spec.schedule = {warmup, std::numeric_limits<std::int64_t>::max() / 2, 1};
    spec.save_warmup = true;
    spec.seed = seed;
    spec.initial = start;
    Settings with = settings;
    with["step_size"] = fmt::format("{}", trial.step_size);
    if (trial.batch_size > 0) with["batch_size"] = std::to_string(trial.batch_size);
    try {
      chain_ = sampler.make(target.fork(), Config(sampler.name, sampler.params, with), spec);
      trace_ = std::make_unique<Trace>(*target_, chain_->stats());
    } catch (const std::exception& error) {  // no such setting, a step too large for a friction for instance
      why_not = error.what();
    }
  }

  // On until so many passes are spent, and judged by `points` of its draws.
  void advance(double passes, Index points, const Vec& scales) {
    constexpr std::int64_t slice = 16;
    if (!why_not.empty()) return;
    try {
      while (trace_->passes() < passes) chain_->run_to(chain_->iteration() + slice, *trace_, {});
      trial.ksd = discrepancy(trace_->points(points), scales);
    } catch (const std::exception& error) {  // diverged, or so far away that its values mean nothing
      why_not = error.what();
      trial.ksd = infinite;
    }
    trial.iterations = chain_->iteration();
    trial.passes = trace_->all_passes() + judged_;
  }

  Trial trial;
  std::string why_not;  // it cannot go on; empty: it can

 private:
  double discrepancy(const Mat& points, const Vec& scales) {
    Mat scores(points.rows(), points.cols());
    judged_ += static_cast<double>(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      if (!target_->logp_grad(points.col(i), scores.col(i)).ok) return infinite;
    }
    return scores.allFinite() ? kernel_stein_discrepancy(points, scores, {.scales = scales}).ksd : infinite;
  }

  std::unique_ptr<Target> target_;
  std::unique_ptr<Chain> chain_;
  std::unique_ptr<Trace> trace_;
  double judged_ = 0;
};

// Twelve steps over three decades, more of them below the sampler's own.
std::vector<double> steps_around(double step) {
  std::vector<double> steps;
  for (int i = 0; i < 12; ++i) steps.push_back(step * std::pow(10.0, -1.5 + 3.0 * i / 11));
  return steps;
}

std::vector<std::int64_t> batches_up_to(Index terms) {
  std::vector<std::int64_t> sizes;
  for (const double share : {0.01, 0.03, 0.1, 0.3, 1.0}) {
    const auto size = std::max<std::int64_t>(2, std::llround(share * static_cast<double>(terms)));
    if (sizes.empty() || size > sizes.back()) sizes.push_back(std::min<std::int64_t>(size, terms));
  }
  return sizes;
}

double set_to(const Settings& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? 0 : parse_real(found->second).value_or(0);
}

// A unit for each coordinate that no setting has a say in: 1/sqrt of the curvature at the mode.
Vec scales_at(Target& target, const Vec& mode) {
  Mat hessian;
  if (target.hessian() != nullptr) {
    target.hessian()->second_derivatives(mode, hessian);
  } else {
    DifferenceHessian(target).second_derivatives(mode, hessian);
  }
  return hessian.diagonal().unaryExpr([](double h) { return h > 0 && std::isfinite(h) ? 1 / std::sqrt(h) : 1.0; });
}

using Runs = std::vector<std::unique_ptr<Run>>;

bool better(const std::unique_ptr<Run>& a, const std::unique_ptr<Run>& b) { return a->trial.ksd < b->trial.ksd; }

std::vector<Trial> trials_of(const Runs& runs) {
  std::vector<Trial> trials;
  for (const auto& run : runs) trials.push_back(run->trial);
  return trials;
}

// Every rung is three times as long as the one before, and a third of the runs goes on to it.
void halve(Runs& runs, const TuneOptions& options, const Vec& scales) {
  Runs out;  // the last to leave is the best of them
  for (std::size_t rung = options.halve ? 0 : rungs - 1; rung < rungs; ++rung) {
    const double budget = options.passes / std::pow(factor, static_cast<double>(rungs - 1 - rung));
    for (const auto& run : runs) run->advance(budget, points_at[rung], scales);
    std::stable_sort(runs.begin(), runs.end(), better);
    options.on_rung(trials_of(runs));
    const std::size_t stay = std::max<std::size_t>(2, (runs.size() + factor - 1) / factor);
    for (; rung + 1 < rungs && runs.size() > stay; runs.pop_back()) out.push_back(std::move(runs.back()));
  }
  std::move(out.rbegin(), out.rend(), std::back_inserter(runs));
}

// What is not given is tried in several sizes.
std::vector<double> steps_to_try(const Target& target, const SamplerEntry& sampler, const Settings& settings,
                                 const TuneOptions& options) {
  if (const double given = set_to(settings, "step_size"); given > 0) return {given};
  if (!options.steps.empty()) return options.steps;
  Settings own_step = settings;
  own_step.erase("friction");  // may be too much for the sampler's own step, not for smaller ones
  const auto chain = sampler.make(target.fork(), Config(sampler.name, sampler.params, own_step), {});
  return steps_around(chain->tuning().step_size);
}

std::vector<std::int64_t> batches_to_try(const Target& target, const Settings& settings, const TuneOptions& options) {
  const auto* sum = dynamic_cast<const FiniteSum*>(&target);
  const auto estimator = settings.find("estimator");
  if (!sum || (estimator != settings.end() && estimator->second == "full")) return {0};
  if (const double given = set_to(settings, "batch_size"); given > 0) return {static_cast<std::int64_t>(given)};
  return options.batches.empty() ? batches_up_to(sum->terms()) : options.batches;
}

void refuse_what_cannot_be_tuned(const Target& target, const SamplerEntry& sampler, const Settings& settings) {
  if (!sampler.stochastic) {
    throw UsageError(
        fmt::format("--tune is for stochastic-gradient samplers; {} tunes itself in warm-up", sampler.name));
  }
  if (sampler.blocked) {
    throw UsageError(fmt::format("--tune chooses minibatches, and {} has none: give step_size", sampler.name));
  }
  if (!target.support().empty()) {
    throw UsageError("--tune measures by a discrepancy that needs a density without edges: not in natural coordinates");
  }
  if (!target.conditionals().empty()) {
    throw UsageError(
        "--tune tries step sizes around a mode of the density, and the mode of a model with Gibbs steps is no guide to "
        "them: give a step size");
  }
  const auto schedule = settings.find("schedule");
  if (schedule != settings.end() && schedule->second != "constant") {
    throw UsageError(fmt::format("--tune is for a constant step size, not for schedule={}", schedule->second));
  }
  if (set_to(settings, "learning_rate") > 0) throw UsageError("--tune chooses step_size: leave out learning_rate");
}

}  // namespace

Tuned tune(const Target& target, const SamplerEntry& sampler, const Settings& settings, const TuneOptions& options) {
  refuse_what_cannot_be_tuned(target, sampler, settings);
  const auto own = target.fork();
  const LocalScale local = measure_scale(*own);
  const Vec scales = scales_at(*own, local.mode);
  const Vec start = local.near(Rng(options.seed), {});
  Runs runs;
  for (const double step : steps_to_try(target, sampler, settings, options)) {
    for (const std::int64_t batch : batches_to_try(target, settings, options)) {
      const Trial trial{step, batch, infinite};
      runs.push_back(std::make_unique<Run>(target, sampler, settings, start, trial, options.seed));
    }
  }
  if (runs.size() < 2) throw UsageError("--tune: step_size and batch_size are given, nothing is left to choose");
  halve(runs, options, scales);
  // The mode was looked for here and by the sampler, whose own step is the middle of those that were tried.
  const double preparation = 2 * static_cast<double>(local.gradients) + static_cast<double>(target.dim());
  Tuned tuned{runs.front()->trial, trials_of(runs), preparation, local};
  for (const Trial& trial : tuned.trials) tuned.passes += trial.passes;
  if (!std::isfinite(tuned.best.ksd)) {
    throw RunError(fmt::format("--tune: no setting works; the last one failed so: {}", runs.front()->why_not));
  }
  return tuned;
}

}  // namespace quasar
