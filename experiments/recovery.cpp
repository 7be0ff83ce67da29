#include "experiments/recovery.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/sample.hpp>

namespace quasar {
namespace {

double milliseconds(const RunData& run) {  // an iteration
  return 1e3 * run.info.sampling_seconds / static_cast<double>(common_draws(run.sampling));
}

// An empty start: anywhere.
RunData run_on(const Target& target, const RecoveryMethod& method, const Vec& start, RecoveryLength length,
               std::uint64_t seed) {
  const SamplerEntry& sampler = find_sampler(method.sampler);
  SampleOptions options;
  options.chains = 1;
  options.schedule = {length.warmup, length.draws, 1};
  options.seed = seed;
  if (start.size() > 0) options.initial = {start};
  return sample(target, sampler, Config(sampler.name, sampler.params, method.settings), options);
}

Mat draws_by_column(const RunData& run) {
  const ChainDraws& chain = run.sampling.front();
  return Eigen::Map<const Mat>(chain.values.data(), std::ssize(chain.values) / chain.draws, chain.draws);
}

struct Recovered {  // of one data set; a number for each parameter
  Vec r_truth, r_mean, sd, ess, time;
  double milliseconds = 0;  // an iteration
};

Recovered measure(const RunData& run, const Vec& truth) {
  Recovered found;
  found.r_truth = found.r_mean = found.sd = found.ess = found.time = Vec(truth.size());
  for (Index i = 0; i < truth.size(); ++i) {
    const Mat draws = draws_of(run, i);
    found.r_truth[i] = std::sqrt((draws.array() - truth[i]).square().mean());
    found.r_mean[i] = std::abs(draws.mean() - truth[i]);
    found.sd[i] = sd(draws);
    found.ess[i] = ess_mean(draws);
    found.time[i] = autocorrelation_time(draws);
  }
  found.milliseconds = milliseconds(run);
  return found;
}

struct Median {
  double value, mcse;
};

// The median of n normal numbers has a standard error of sqrt(pi/2) sd / sqrt(n); their sd comes from the quartiles,
// which a chain that is lost does not move.
Median median(Vec values) {
  constexpr double quartile = 0.6744897501960817, root_half_pi = 1.2533141373155003;
  if (values.size() < 2) return {values[0], std::numeric_limits<double>::quiet_NaN()};
  const double deviation = (quantile(values, 0.75) - quantile(values, 0.25)) / (2 * quartile);
  return {quantile(values, 0.5), root_half_pi * deviation / std::sqrt(static_cast<double>(values.size()))};
}

std::optional<double> entry(const std::vector<double>& numbers, Index i) {
  return i < std::ssize(numbers) ? std::optional(numbers[static_cast<std::size_t>(i)]) : std::nullopt;
}

class Rows {
 public:
  Rows(const std::vector<Recovered>& found, const std::string& method, ExperimentResult& result)
      : found_(found), method_(method), result_(result) {}

  template <class Number>
  void add(const std::string& quantity, std::optional<double> printed, Number&& number) {
    Vec values(std::ssize(found_));
    std::transform(found_.begin(), found_.end(), values.begin(), number);
    const Median middle = median(values);
    result_.rows.push_back({method_, quantity, middle.value,
                            std::isfinite(middle.mcse) ? std::optional(middle.mcse) : std::nullopt, printed});
  }

 private:
  const std::vector<Recovered>& found_;
  const std::string& method_;
  ExperimentResult& result_;
};

void add_rows(const RecoveryProblem& problem, const RecoveryMethod& method, const std::vector<Recovered>& found,
              ExperimentResult& result) {
  Rows rows(found, method.name, result);
  for (Index i = 0; i < problem.truth.size(); ++i) {
    const std::string& name = problem.names[static_cast<std::size_t>(i)];
    const auto of = [i](Vec Recovered::*numbers) { return [=](const Recovered& one) { return (one.*numbers)[i]; }; };
    rows.add("R_truth, " + name, entry(method.printed.rmse, i), of(&Recovered::r_truth));
    rows.add("R_mean, " + name, std::nullopt, of(&Recovered::r_mean));
    rows.add("sd, " + name, std::nullopt, of(&Recovered::sd));
    rows.add("ESS, " + name, std::nullopt, of(&Recovered::ess));
    rows.add("autocorrelation time, " + name, i == 0 ? method.printed.autocorrelation_time : std::nullopt,
             of(&Recovered::time));
  }
  rows.add("ms an iteration", method.printed.milliseconds, [](const Recovered& one) { return one.milliseconds; });
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

Rng data_names(std::uint64_t seed, int data_set) {
  return Rng(seed).child("data", static_cast<std::uint64_t>(data_set));
}

}  // namespace

std::string batch_setting(const SamplerEntry& sampler, const BatchPolicy& policy) {
  const auto batch =
      std::find_if(sampler.params.begin(), sampler.params.end(), [](const ParamSpec& p) { return p.name == "batch"; });
  const bool has_half_kicks = std::any_of(batch->choices.begin(), batch->choices.end(),
                                          [](const Choice& choice) { return choice.value == "per_half_kick"; });
  return has_half_kicks && policy.setting == std::string_view("per_gradient") ? "per_half_kick" : policy.setting;
}

Settings recovery_settings(const RecoveryProblem& problem, RecoveryLength length) {
  return {{"data_sets", std::to_string(problem.data_sets.size())},
          {"warmup", std::to_string(length.warmup)},
          {"draws", std::to_string(length.draws)},
          {"leapfrog_steps", "10"},
          {"batch_size", "100"}};
}

Mat add_recovery(const RecoveryProblem& problem, const RecoveryMethod& method, RecoveryLength length,
                 std::uint64_t seed, ExperimentResult& result) {
  std::vector<Recovered> found;
  double lost = 0;
  Mat first(problem.truth.size(), 0);
  for (const auto& target : problem.data_sets) {
    try {
      const RunData run = run_on(*target, method, problem.start, length, seed++);
      found.push_back(measure(run, problem.truth));
      if (target == problem.data_sets.front()) first = draws_by_column(run);
    } catch (const RunError&) {
      ++lost;
    }
  }
  if (lost > 0)
    result.rows.push_back({method.name, "data sets on which it was lost", lost, std::nullopt, std::nullopt});
  if (!found.empty()) add_rows(problem, method, found, result);
  return first;
}

Mat add_arrival(const RecoveryProblem& problem, const RecoveryMethod& method, const Arrival& arrival,
                std::uint64_t seed, ExperimentResult& result) {
  const RecoveryLength way{0, arrival.iterations};
  const auto add = [&](const char* quantity, double value) {
    result.rows.push_back({method.name, quantity, value, std::nullopt, std::nullopt});
  };
  Mat path(problem.truth.size(), 0);
  try {
    path = draws_by_column(run_on(*problem.data_sets.front(), method, problem.start, way, seed));
  } catch (const Diverged& error) {
    add("iteration at which it was lost on its way", static_cast<double>(error.iteration));
    return path;
  }
  const Mat off = (path.colwise() - problem.truth).array().colwise() / arrival.sd.array();
  Index arrived = 0;
  while (arrived < off.cols() && !(off.col(arrived).cwiseAbs().maxCoeff() < 3)) ++arrived;
  if (arrived == off.cols()) {
    add("iterations after which it has not arrived", static_cast<double>(arrived));
    return path;
  }
  const double beyond = problem.start[0] > problem.truth[0] ? -1 : 1;
  add("iterations until all within 3 sd", static_cast<double>(arrived));
  add("overshoot of the first parameter until then, sd", (beyond * off.row(0).head(arrived + 1)).maxCoeff());
  return path;
}

void add_time(const Target& target, const RecoveryMethod& method, std::int64_t draws, std::uint64_t seed,
              ExperimentResult& result) {
  try {
    const RunData run = run_on(target, method, Vec(), {draws, draws}, seed);
    result.rows.push_back(
        {method.name, "ms an iteration", milliseconds(run), std::nullopt, method.printed.milliseconds});
  } catch (const Diverged& error) {
    result.rows.push_back({method.name, "iteration at which it was lost", static_cast<double>(error.iteration),
                           std::nullopt, std::nullopt});
  }
}

RecoveryProblem normal_problem(Index rows, int data_sets, std::uint64_t seed) {
  RecoveryProblem problem{{"mu", "tau"}, Vec{{0, 1}}, Vec{{0.3, 3}}, {}};
  const ModelEntry& model = find_model("normal");
  const Config config(model.name, model.params, {{"coordinates", "natural"}});
  for (int k = 0; k < data_sets; ++k) {
    Vec x(rows);
    data_names(seed, k).stream("x").normals(x);
    const Table table{"synthetic", {"x"}, x, {}};
    problem.data_sets.push_back(model.make(config, &table));
  }
  return problem;
}

RecoveryProblem logistic_problem(Index rows, int data_sets, std::uint64_t seed) {
  RecoveryProblem problem{{"w_1", "w_2"}, Vec{{1, -1}}, Vec{{2, 1}}, {}};
  const ModelEntry& model = find_model("logistic");
  const Config config(model.name, model.params,
                      {{"standardize", "false"}, {"intercept", "false"}, {"prior_sd", "3.1622776601683795"}});
  for (int k = 0; k < data_sets; ++k) {
    const Rng names = data_names(seed, k);
    Vec clouds(rows), labels(rows), x1(rows), x2(rows);
    names.stream("cloud").uniforms(clouds);
    names.stream("label").uniforms(labels);
    names.stream("x_1").normals(x1);
    names.stream("x_2").normals(x2);
    Table table{"synthetic", {"x_1", "x_2", "y"}, Mat(rows, 3), {}};
    for (Index i = 0; i < rows; ++i) {
      const double side = clouds[i] < 0.5 ? 1 : -1;
      const double a = side + x1[i], b = -side + x2[i];
      table.values.row(i) << a, b, labels[i] < sigmoid(a - b) ? 1 : 0;
    }
    problem.data_sets.push_back(model.make(config, &table));
  }
  return problem;
}

}  // namespace quasar
