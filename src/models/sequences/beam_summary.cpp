#include "models/sequences/beam_summary.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/running_moments.hpp"
#include "core/shared_work.hpp"

namespace quasar {
namespace {

void count_changes(const Sequences& data, const Path& states, Vec& changes) {
  for (Index s = 0; s < data.count(); ++s) {
    for (Index t = data.starts[static_cast<std::size_t>(s)] + 1; t < data.end(s); ++t) {
      changes[t] += states[static_cast<std::size_t>(t)] != states[static_cast<std::size_t>(t - 1)];
    }
  }
}

Mat levels_of(const BeamState& state) { return state.centres(Eigen::all, state.states); }

void add_counts(const Vec& more, Vec& counts) {
  if (counts.size() < more.size()) counts.conservativeResizeLike(Vec::Zero(more.size()));
  counts.head(more.size()) += more;
}

// Mean and variance of a value in a state that has no point yet.
std::pair<double, double> law_of_new_state(const BeamOptions& options, const BeamState& state) {
  if (options.emission == Emission::normal) return {options.mean, state.variance + options.centre_variance};
  if (options.emission == Emission::categorical) {
    const double p = 1 / static_cast<double>(state.centres.rows());
    return {p, p * (1 - p)};
  }
  const double mean = options.rate_prior.shape / options.rate_prior.rate;
  return {mean, mean + mean / options.rate_prior.rate};
}

// A draw as a model to look ahead with. Its last state stands for all that have no point yet: beta is the mean of their
// rows.
FittedHmm model_of(const Sequences& data, const BeamOptions& options, const BeamState& draw) {
  const Index states = draw.count();
  const auto [new_mean, new_variance] = law_of_new_state(options, draw);
  FittedHmm model;
  model.centres.resize(data.dim(), states + 1);
  model.centres << draw.centres, Vec::Constant(data.dim(), new_mean);
  const auto centres = draw.centres.array();
  model.variances = Mat::Constant(data.dim(), states + 1, new_variance);
  if (options.emission == Emission::normal) model.variances.leftCols(states).setConstant(draw.variance);
  if (options.emission == Emission::poisson) model.variances.leftCols(states) = centres;
  if (options.emission == Emission::categorical) model.variances.leftCols(states) = centres * (1 - centres);
  model.transition.resize(states + 1, states + 1);
  model.transition << draw.transition.bottomRows(states), draw.shares.transpose();
  model.last = Mat::Zero(states + 1, data.count());
  for (Index s = 0; s < data.count(); ++s) model.last(draw.states[static_cast<std::size_t>(data.end(s) - 1)], s) = 1;
  return model;
}

// What is kept of a chain, or of all of them.
class Gathered {
 public:
  Gathered(const Sequences& data, const BeamOptions& options, Index ahead)
      : data_(data),
        options_(options),
        ahead_(ahead),
        changes_(Vec::Zero(data.size())),
        levels_(data.values.size()),
        forecasts_(data.dim() * ahead * data.count()),
        variances_(forecasts_) {}

  void add(const BeamState& draw) {
    add_forecasts(model_of(data_, options_, draw));
    BeamState used = draw;
    drop_unused(used);
    add_counts(Vec::Unit(used.count(), used.count() - 1), states_);
    count_changes(data_, used.states, changes_);
    levels_.add(levels_of(used).reshaped());
    last_states_ = static_cast<double>(used.count());
    last_log_density_ = log_joint(data_, options_, used);
    take_if_better(used, last_log_density_);
  }

  void merge(const Gathered& other) {
    add_counts(other.states_, states_);
    changes_ += other.changes_;
    levels_.merge(other.levels_);
    forecasts_.merge(other.forecasts_);
    variances_.merge(other.variances_);
    take_if_better(other.best_, other.best_log_density_);
  }

  double last_states() const { return last_states_; }
  double last_log_density() const { return last_log_density_; }

  BeamRun run() const {
    const auto draws = static_cast<double>(levels_.count());
    BeamRun run;
    run.best = best_;
    run.best_log_density = best_log_density_;
    run.states_probability = states_ / draws;
    run.change_probability = changes_ / draws;
    run.level_mean = levels_.mean().reshaped(data_.dim(), data_.size());
    run.level_sd = levels_.variance().cwiseSqrt().reshaped(data_.dim(), data_.size());
    // Var = E[variance of a draw] + variance of its mean
    Vec variance = variances_.mean();
    if (levels_.count() > 1) variance += forecasts_.variance();
    const Index size = data_.dim() * ahead_;
    for (Index s = 0; s < data_.count(); ++s) {
      run.forecasts.push_back({forecasts_.mean().segment(s * size, size).reshaped(data_.dim(), ahead_),
                               variance.segment(s * size, size).cwiseSqrt().reshaped(data_.dim(), ahead_)});
    }
    return run;
  }

 private:
  void add_forecasts(const FittedHmm& model) {
    Mat mean(data_.dim(), ahead_ * data_.count()), variance(mean.rows(), mean.cols());
    for (Index s = 0; s < data_.count(); ++s) {
      const Forecast one = forecast(model, s, ahead_);
      mean.middleCols(s * ahead_, ahead_) = one.mean;
      variance.middleCols(s * ahead_, ahead_) = one.sd.cwiseAbs2();
    }
    forecasts_.add(mean.reshaped());
    variances_.add(variance.reshaped());
  }

  void take_if_better(const BeamState& state, double log_density) {
    if (log_density <= best_log_density_) return;
    best_log_density_ = log_density;
    best_ = state;
  }

  const Sequences& data_;
  const BeamOptions& options_;
  Index ahead_;
  Vec states_, changes_;
  RunningMoments levels_, forecasts_, variances_;
  BeamState best_;
  double best_log_density_ = -std::numeric_limits<double>::infinity();
  double last_states_ = 0, last_log_density_ = 0;
};

}  // namespace

BeamRun run_beam(const Sequences& data, const BeamOptions& options, const BeamState& start,
                 const BeamSchedule& schedule, const Rng& rng, std::span<ChainProgress> progress) {
  const auto chains = static_cast<std::size_t>(schedule.chains);
  std::vector<Gathered> gathered(chains, Gathered(data, options, schedule.ahead));
  Mat states(schedule.sweeps, schedule.chains), log_density(schedule.sweeps, schedule.chains);
  share_work(chains, static_cast<std::size_t>(std::max(schedule.threads, 1)), [&](std::size_t, std::size_t chain) {
    const Rng own = rng.child("chain", chain);
    const auto column = static_cast<Index>(chain);
    BeamState state = start;
    for (Index i = 0; i < schedule.warmup + schedule.sweeps; ++i) {
      beam_sweep(data, options, own.at(static_cast<std::uint64_t>(i)), state);
      if (!progress.empty()) progress[chain].iterations = i + 1;
      if (i < schedule.warmup) continue;
      gathered[chain].add(state);
      states(i - schedule.warmup, column) = gathered[chain].last_states();
      log_density(i - schedule.warmup, column) = gathered[chain].last_log_density();
    }
  });
  for (std::size_t chain = 1; chain < chains; ++chain) gathered[0].merge(gathered[chain]);
  BeamRun run = gathered[0].run();
  run.states = std::move(states);
  run.log_density = std::move(log_density);
  return run;
}

}  // namespace quasar
