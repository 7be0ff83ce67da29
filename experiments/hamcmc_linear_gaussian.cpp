// The linear Gaussian experiment of Simsekli, Badeau, Cemgil and Richard (2016): how far the mean of the draws is from
// the posterior's after 20 000 steps with (a/t)^0.51, half of them burn-in, on batches of N/100. The paper draws curves
// and prints no numbers; N is not given, so two are run. The error of the mean alone misleads, since a law that is too
// wide may have it small: the spread stands beside it.
#include <fmt/core.h>

#include <optional>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"
#include "targets/linear_gaussian.hpp"

namespace quasar {
namespace {

constexpr std::int64_t steps = 20'000;

struct Method {
  std::string name;
  const char* sampler;
  Settings settings;
  std::int64_t members = 1;
};

struct Problem {
  int dim, rows;
};

constexpr Problem problems[] = {{2, 1000}, {10, 1000}, {100, 1000}, {2, 10'000}, {10, 10'000}, {100, 10'000}};

// a of (a/t)^0.51, as printed for D = 2, 10, 100.
std::string by_dim(const Problem& p, const char* two, const char* ten, const char* hundred) {
  return p.dim == 2 ? two : p.dim == 10 ? ten : hundred;
}

std::vector<Method> methods(const Problem& p) {
  const auto falling = [](const std::string& a, const Settings& more = {}) {
    Settings all{{"schedule", "power"}, {"decay", "0.51"}, {"step_size", a}};
    all.insert(more.begin(), more.end());
    return all;
  };
  const Settings published{{"initial_scale", "50"}, {"shift", "1"}, {"pairs", "printed"}, {"freeze", "false"}};
  const auto hamcmc = [&](const char* memory) {
    Settings all = falling(by_dim(p, "1e-6", "1e-8", "1e-8"), published);
    all["memory"] = memory;
    return all;
  };
  const Settings quick_average{{"averaging", "0.9"}, {"regularization", "1e-3"}};
  return {{"SGLD", "sgld", falling(by_dim(p, "1e-5", "1e-6", "8e-6"))},
          {"SGRLD", "sgrld", falling(by_dim(p, "0.05", "0.5", "0.5"))},
          {"HAMCMC, M = 2", "hamcmc", hamcmc("2"), 2},
          {"HAMCMC, M = 3", "hamcmc", hamcmc("3"), 3},
          {"PSGLD", "psgld", falling(by_dim(p, "0.05", "0.1", "0.1"), quick_average)},
          {"PSGLD, smaller steps", "psgld", falling(p.rows == 1000 ? "1e-5" : "1e-8", quick_average)},
          {"SGLD, automatic", "sgld", {}},
          {"SGHMC, automatic", "sghmc", {}},
          {"HAMCMC, automatic", "hamcmc", {}, 3},
          {"HAMCMC, control variates", "hamcmc", {{"estimator", "control_variates"}}, 3}};
}

// Of one chain or ensemble: its draws as columns, with their weights.
struct Draws {
  Mat values;
  Vec weights;
};

Draws draws_of_ensemble(const RunData& run, Index first_row, Index rows, Index dim) {
  const Index count = common_draws(run.sampling);
  const Mat weights = statistic(run, "weight");
  Draws all{Mat(dim, count * rows), Vec(count * rows)};
  for (Index row = 0; row < rows; ++row) {
    const double* values = run.sampling[static_cast<std::size_t>(first_row + row)].values.data();
    all.values.middleCols(row * count, count) = Eigen::Map<const Mat>(values, dim, count);
    all.weights.segment(row * count, count) = weights.col(first_row + row);
  }
  return all;
}

struct Posterior {
  Mat precision;
  Vec mean;
};

struct Measured {
  double error, weighted_error, spread;
};

Measured measure(const Draws& draws, const Posterior& posterior) {
  const auto count = static_cast<double>(draws.values.cols());
  const Vec mean = draws.values.rowwise().mean();
  const Vec weighted = draws.values * draws.weights / draws.weights.sum();
  const Mat centred = draws.values.colwise() - mean;
  const double trace = (posterior.precision * centred).cwiseProduct(centred).sum() / (count - 1);
  return {(mean - posterior.mean).squaredNorm(), (weighted - posterior.mean).squaredNorm(),
          trace / static_cast<double>(mean.size())};
}

void add(const std::string& method, const char* quantity, const std::vector<Measured>& runs, double Measured::*number,
         ExperimentResult& result) {
  Vec values(std::ssize(runs));
  for (Index i = 0; i < values.size(); ++i) values[i] = runs[static_cast<std::size_t>(i)].*number;
  const double deviation =
      std::sqrt((values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1));
  result.rows.push_back(
      {method, quantity, values.mean(), deviation / std::sqrt(static_cast<double>(values.size())), std::nullopt});
}

void run_method(const Method& method, const std::string& label, const Target& target, const Posterior& posterior,
                const SampleOptions& base, ExperimentResult& result) {
  const SamplerEntry& sampler = find_sampler(method.sampler);
  SampleOptions options = base;
  options.schedule = {steps / 2 / method.members, steps / 2 / method.members, 1};
  try {
    const RunData run = sample(target, sampler, Config(sampler.name, sampler.params, method.settings), options);
    std::vector<Measured> chains;
    for (Index chain = 0; chain < options.chains; ++chain) {
      chains.push_back(
          measure(draws_of_ensemble(run, chain * method.members, method.members, target.dim()), posterior));
    }
    add(label, "|mean - truth|^2", chains, &Measured::error, result);
    add(label, "the same, weighted by e", chains, &Measured::weighted_error, result);
    add(label, "tr(P Cov)/D, truth 1", chains, &Measured::spread, result);
  } catch (const Diverged& error) {
    result.rows.push_back({label, "diverged_at", static_cast<double>(error.iteration), std::nullopt, std::nullopt});
  }
}

}  // namespace

ExperimentResult run_hamcmc_linear_gaussian(const ExperimentOptions& options) {
  SampleOptions base;
  base.chains = options.quick ? 2 : 8;
  base.seed = options.seed;
  ExperimentResult result{{{"steps", std::to_string(steps)},
                           {"chains", std::to_string(base.chains)},
                           {"noise_variance", "10"},
                           {"batch_size", "N/100"}},
                          {}};
  const ModelEntry& model = find_model("linear-gaussian");
  for (const Problem& problem : problems) {
    if (options.quick && problem.dim == 100) continue;
    const Settings settings{{"dim", std::to_string(problem.dim)}, {"rows", std::to_string(problem.rows)}};
    const auto target = model.make(Config(model.name, model.params, settings), nullptr);
    Posterior posterior{Mat(), dynamic_cast<const ExactLaw&>(*target).moments().mean};
    target->geometry()->metric(posterior.mean, posterior.precision);
    for (Method method : methods(problem)) {
      method.settings["batch_size"] = std::to_string(problem.rows / 100);
      const std::string label = fmt::format("D = {}, N = {}: {}", problem.dim, problem.rows, method.name);
      options.on_method(label);
      run_method(method, label, *target, posterior, base, result);
    }
  }
  return result;
}

}  // namespace quasar
