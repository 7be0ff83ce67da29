// Table 1 of Chen, Fox and Guestrin (2014): Bayesian matrix factorization of MovieLens-1M, rank 20, by SGD, SGD with
// momentum, SGLD and SGHMC on batches of 4000 ratings, in five folds. Precisions are drawn every 2000 steps, a round;
// the predictions of the rounds after a burn-in are averaged. The paper makes 1000 rounds, 50 of them burn-in.
//
// SGHMC has the learning rate, the momentum decay and the B-hat of the authors' program. Step sizes of the others, and
// the precisions of the optimisers, are those of the least RMSE on a tenth of the training ratings of the first fold;
// quick runs, of rounds of 400 steps, take the first of them. Beside the table: Gibbs sampling with Wishart priors
// (Salakhutdinov and Mnih 2008), alternating least squares.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/blas_threads.hpp"
#include "experiments/bpmf_ratings.hpp"
#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/finished_parts.hpp"
#include "experiments/two_at_a_time.hpp"

namespace quasar {
namespace {

constexpr Index folds = 5;
constexpr Index batches = 200, least_batch = 200;  // in a pass of 800 167 ratings: 4000 each

struct Length {
  std::int64_t passes;           // over the ratings, in a round
  std::int64_t rounds, burn_in;  // the burn-in is a part of them
  std::int64_t sweeps, sweeps_burn_in;
  std::int64_t steps() const { return passes * batches; }  // in a round
};
constexpr Length long_rounds{10, 100, 8, 100, 8}, quick_rounds{2, 60, 20, 24, 4}, trial_rounds{10, 20, 8, 20, 8};

struct Candidate {  // the RMSE on held-out ratings decides which
  Settings model, settings;
};

struct Method {
  std::string name;
  const char* sampler;
  std::vector<Candidate> candidates;  // the first is the best of those that were tried by hand
  bool sweeps = false;                // over all ratings, instead of rounds of steps on batches
  bool averages = true;
  std::optional<double> printed = std::nullopt;
};

Settings drawn(const char* hyperprior, std::int64_t passes) {
  return {{"rank", "20"}, {"hyperprior", hyperprior}, {"gibbs_every", std::to_string(passes)}};
}

Settings fixed(const char* precision, const char* bias_precision) {
  return {{"rank", "20"},
          {"hyperprior", "fixed"},
          {"precision", precision},
          {"bias_precision", bias_precision},
          {"noise_precision", "26"}};
}

// rate: times the number of ratings, as the authors give it.
std::vector<Method> methods(Index ratings, const Length& length) {
  const Settings batch{{"batch_size", std::to_string(std::max(ratings / batches, std::min(ratings, least_batch)))},
                       {"batch_order", "shuffled"}};
  const auto with = [&](Settings more) {
    more.insert(batch.begin(), batch.end());
    return more;
  };
  const auto rate = [&](const char* name, double times) {
    return std::pair<const std::string, std::string>(name, fmt::format("{:.4g}", times / static_cast<double>(ratings)));
  };
  const auto momentum = [&](double times) { return with({rate("learning_rate", times), {"momentum_decay", "0.05"}}); };
  const auto step = [&](double times) { return with({rate("step_size", times)}); };
  const Settings scalar = drawn("scalar", length.passes);
  Settings sghmc = momentum(0.4);
  sghmc.emplace("noise_variance", "0");
  return {{"SGHMC", "sghmc", {{scalar, sghmc}}, false, true, 0.8411},
          {"SGLD",
           "sgld",
           {{scalar, step(8)}, {scalar, step(16)}, {scalar, step(4)}, {scalar, step(2)}},
           false,
           true,
           0.8412},
          {"SGD with momentum",
           "sgd-momentum",
           {{fixed("120", "40"), momentum(0.1)},
            {fixed("120", "40"), momentum(0.05)},
            {fixed("120", "40"), momentum(0.2)},
            {fixed("70", "40"), momentum(0.1)},
            {fixed("200", "40"), momentum(0.1)}},
           false,
           false,
           0.8539},
          {"SGD",
           "sgd",
           {{fixed("120", "40"), step(2)},
            {fixed("120", "40"), step(1)},
            {fixed("120", "40"), step(4)},
            {fixed("70", "40"), step(2)},
            {fixed("200", "40"), step(2)}},
           false,
           false,
           0.8538},
          {"Gibbs", "gibbs", {{drawn("wishart", 1), {}}}, true},
          {"ALS", "als", {{fixed("120", "40"), {}}, {fixed("70", "40"), {}}, {fixed("200", "40"), {}}}, true, false}};
}

struct Job {
  const Method* method;
  const Candidate* candidate;
  Length length;
  const RatingSplit* split;
  std::string part;  // its name where it is kept
  RatingOutcome outcome = {};
};

struct Rounds {
  std::int64_t steps, count, burn_in;
};
Rounds rounds_of(const Job& job) {
  const Length& length = job.length;
  if (job.method->sweeps) return {1, length.sweeps, length.sweeps_burn_in};
  return {length.steps(), length.rounds, length.burn_in};
}

// What is kept is the last step of each round after the burn-in; of an optimiser, the last of all.
Schedule schedule_of(const Job& job) {
  const Rounds rounds = rounds_of(job);
  const std::int64_t burn_in = job.method->averages ? rounds.burn_in : rounds.count - 1;
  const std::int64_t first = rounds.steps * (burn_in + 1) - 1;
  return {first, rounds.steps * rounds.count - first, rounds.steps};
}

void run_all(const ExperimentOptions& options, std::vector<Job>& jobs) {
  const FinishedParts finished(options.work_dir);
  two_at_a_time(
      jobs, [](const Job& job) { return job.part; },
      [&](Job& job) {
        const RatingMethod method{.sampler = job.method->sampler,
                                  .model = job.candidate->model,
                                  .settings = job.candidate->settings,
                                  .schedule = schedule_of(job),
                                  .averages = job.method->averages};
        job.outcome = finished.of(job.part, describe(*job.split, method, options.seed),
                                  [&] { return run_on_ratings(*job.split, method, options.seed); });
      },
      options.on_method);
}

struct Chosen {
  std::ptrdiff_t candidate = 0;
  const char* remark = "";
};

Chosen choice_of(const Method& method, const std::vector<Job>& trials) {
  Chosen best{0, method.candidates.size() > 1 ? " (in the trials every candidate diverged)" : ""};
  double least = std::numeric_limits<double>::infinity();
  for (const Job& job : trials) {
    if (job.method != &method || job.outcome.diverged || job.outcome.rmse.back() >= least) continue;
    least = job.outcome.rmse.back();
    best = {job.candidate - method.candidates.data(), ""};
  }
  return best;
}

// The candidates of the least RMSE on a tenth of the training ratings, after a short run on the others.
std::vector<Chosen> choose(const ExperimentOptions& options, const Table& training) {
  const RatingSplit split = split_ratings(training, 10, 0, options.seed + 1);
  const std::vector<Method> all = methods(split.train.rows(), trial_rounds);
  std::vector<Job> trials;
  for (const Method& method : all) {
    if (method.candidates.size() == 1) continue;
    for (const Candidate& candidate : method.candidates) {
      const auto number = &candidate - method.candidates.data() + 1;
      trials.push_back({&method, &candidate, trial_rounds, &split, fmt::format("trial {} of {}", number, method.name)});
    }
  }
  run_all(options, trials);
  std::vector<Chosen> chosen;
  for (const Method& method : all) chosen.push_back(choice_of(method, trials));
  return chosen;
}

// Of one method: means over the folds where it did not diverge, with their standard errors where there are several.
class Report {
 public:
  Report(const Method& method, const std::vector<Job>& jobs, ExperimentResult& result)
      : method_(&method), result_(&result) {
    for (const Job& job : jobs) {
      if (job.method != &method) continue;
      if (job.outcome.diverged) {
        ++diverged_;
      } else {
        jobs_.push_back(&job);
      }
    }
  }

  void add_all() {
    if (diverged_ > 0) {
      result_->rows.push_back(
          {method_->name, "folds diverged", static_cast<double>(diverged_), std::nullopt, std::nullopt});
    }
    if (jobs_.empty()) {
      result_->rows.push_back({method_->name, "RMSE", Scores::none, std::nullopt, method_->printed});
      return;
    }
    if (method_->averages) add_way();
    add(
        "RMSE", [](const Job& job) { return job.outcome.rmse.back(); }, method_->printed);
    if (method_->averages) add("RMSE of a single draw", [](const Job& job) { return job.outcome.single_rmse.back(); });
    add("MAE", [](const Job& job) { return job.outcome.mae; });
    if (method_->averages) add("coverage of 90 % intervals", [](const Job& job) { return job.outcome.coverage_90; });
    add(method_->sweeps ? "seconds a sweep" : "seconds a round",
        [](const Job& job) { return job.outcome.seconds / static_cast<double>(rounds_of(job).count); });
  }

 private:
  void add_way() {
    for (const std::int64_t round : {15, 20, 30, 40, 60, 80}) {
      const std::int64_t draw = round - rounds_of(*jobs_.front()).burn_in - 1;
      if (draw < 0 || draw + 1 >= std::ssize(jobs_.front()->outcome.rmse)) continue;
      add(fmt::format("RMSE, {} {}", method_->sweeps ? "sweep" : "round", round),
          [&](const Job& job) { return job.outcome.rmse[static_cast<std::size_t>(draw)]; });
    }
  }

  template <class Value>
  void add(const std::string& quantity, const Value& value, std::optional<double> printed = std::nullopt) {
    Vec values(std::ssize(jobs_));
    for (std::size_t i = 0; i < jobs_.size(); ++i) values[static_cast<Index>(i)] = value(*jobs_[i]);
    const double mean = values.mean();
    if (std::isnan(mean)) return;
    const auto n = static_cast<double>(values.size());
    const double error = std::sqrt((values.array() - mean).square().sum() / (n * std::max(1.0, n - 1)));
    result_->rows.push_back({method_->name, quantity, mean, n > 1 ? std::optional(error) : std::nullopt, printed});
  }

  const Method* method_;
  std::vector<const Job*> jobs_;
  Index diverged_ = 0;
  ExperimentResult* result_;
};

// Where predictions are averaged, how the error falls in the first fold.
Figure figure_of(const std::vector<Job>& jobs, const std::vector<ExperimentRow>& rows) {
  Panel table = beside_print(rows, "RMSE", false);
  table.y.label = "stars";
  Panel learning{"RMSE of the averaged prediction, first fold", {.label = "round or sweep"}, {.label = "stars"}, {}};
  for (const Job& job : jobs) {
    if (job.split != jobs.front().split || job.outcome.diverged || !job.method->averages) continue;
    const auto first = static_cast<double>(rounds_of(job).burn_in + 1);
    learning.series.push_back(curve(job.method->name, job.outcome.rmse, first, 1));
  }
  return {"table-1",
          "Chen, Fox and Guestrin (2014), Table 1; the paper has no figure of it. Left: our numbers beside the printed "
          "ones, which are of 1000 rounds. Gibbs sampling and ALS are ours. Right: how ours came about.",
          2,
          {std::move(table), std::move(learning)}};
}

}  // namespace

ExperimentResult run_sghmc_bpmf(const ExperimentOptions& options) {
  const SingleThreadedBlas one_thread;
  const Length length = options.quick ? quick_rounds : long_rounds;
  const Table ratings = read_movielens(options.data_dir);
  const std::vector<RatingSplit> splits = rating_folds(ratings, folds, options.quick ? 1 : folds, options.seed);
  const std::vector<Method> all = methods(splits.front().train.rows(), length);
  const std::vector<Chosen> chosen =
      options.quick ? std::vector<Chosen>(all.size()) : choose(options, splits.front().train);
  std::vector<Job> jobs;
  for (std::size_t fold = 0; fold < splits.size(); ++fold) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      jobs.push_back({&all[i], &all[i].candidates[static_cast<std::size_t>(chosen[i].candidate)], length, &splits[fold],
                      fmt::format("fold {}, {}", fold + 1, all[i].name)});
    }
  }
  run_all(options, jobs);

  ExperimentResult result{
      {{"ratings", fmt::format("{}, a fifth of them for the test", ratings.rows())},
       {"folds", fmt::format("{} of {}", splits.size(), folds)},
       {"rounds", fmt::format("{} of {} steps, averaged after {}", length.rounds, length.steps(), length.burn_in)},
       {"sweeps", fmt::format("{}, averaged after {}", length.sweeps, length.sweeps_burn_in)}},
      {}};
  if (splits.size() > 1) result.settings["mcse"] = "standard error over folds, which share training ratings";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Candidate& candidate = *jobs[i].candidate;
    result.settings[all[i].name] = describe(candidate.model, candidate.settings) + chosen[i].remark;
    Report(all[i], jobs, result).add_all();
  }
  result.figures.push_back(figure_of(jobs, result.rows));
  return result;
}

}  // namespace quasar
