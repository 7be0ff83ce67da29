// The linear Gaussian experiment of Simsekli, Badeau, Cemgil and Richard (2016): how far the mean of the draws is from
// the posterior's after 20 000 steps with (a/t)^0.51, half of them burn-in, on batches of N/100. The paper draws curves
// and prints no numbers; N is not given, so two are run. The error of the mean alone misleads, since a law that is too
// wide may have it small: the spread stands beside it.
#include <Eigen/Cholesky>
#include <fmt/core.h>

#include <cmath>
#include <ctime>
#include <optional>
#include <set>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "targets/linear_gaussian.hpp"

namespace quasar {
namespace {

constexpr std::int64_t steps = 20'000;

struct Method {
  std::string name;
  const char* sampler;
  Settings settings;
  std::int64_t members = 1;
  bool in_figures = false;
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
  return {{"SGLD", "sgld", falling(by_dim(p, "1e-5", "1e-6", "8e-6")), 1, true},
          {"SGRLD", "sgrld", falling(by_dim(p, "0.05", "0.5", "0.5")), 1, true},
          {"HAMCMC, M = 2", "hamcmc", hamcmc("2"), 2, true},
          {"HAMCMC, M = 3", "hamcmc", hamcmc("3"), 3, true},
          {"PSGLD", "psgld", falling(by_dim(p, "0.05", "0.1", "0.1"), quick_average)},
          {"PSGLD, smaller steps", "psgld", falling(p.rows == 1000 ? "1e-5" : "1e-8", quick_average), 1, true},
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
  Vec mean, variance;
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

// The error of the mean of the draws so far, in the course of the steps after the burn-in.
struct Course {
  std::vector<double> steps;
  std::vector<std::vector<double>> errors;  // of each chain
  double seconds = 0;                       // of a processor, for one step
};

std::set<Index> shown_sweeps(Index count) {
  constexpr double first = 10;
  constexpr int points = 80;
  std::set<Index> sweeps;
  for (int i = 0; i <= points; ++i) {
    sweeps.insert(std::lround(first * std::pow(static_cast<double>(count) / first, static_cast<double>(i) / points)));
  }
  return sweeps;
}

void add_course(const Draws& draws, Index members, const Posterior& posterior, Course& course) {
  const Index count = draws.values.cols() / members;
  const std::set<Index> shown = shown_sweeps(count);
  course.steps.clear();
  std::vector<double>& errors = course.errors.emplace_back();
  Vec sum = Vec::Zero(draws.values.rows());
  for (Index sweep = 1; sweep <= count; ++sweep) {
    for (Index member = 0; member < members; ++member) sum += draws.values.col(member * count + sweep - 1);
    if (!shown.contains(sweep)) continue;
    const auto steps_so_far = static_cast<double>(sweep * members);
    errors.push_back((sum / steps_so_far - posterior.mean).squaredNorm());
    course.steps.push_back(steps_so_far);
  }
}

// What the figures show of a method on a problem.
struct Picture {
  Course course;
  Mat draws;  // of the first chain
};

Picture run_method(const Method& method, const std::string& label, const Target& target, const Posterior& posterior,
                   const SampleOptions& base, ExperimentResult& result) {
  Picture picture;
  const SamplerEntry& sampler = find_sampler(method.sampler);
  SampleOptions options = base;
  options.schedule = {steps / 2 / method.members, steps / 2 / method.members, 1};
  try {
    const std::clock_t begin = std::clock();
    const RunData run = sample(target, sampler, Config(sampler.name, sampler.params, method.settings), options);
    picture.course.seconds =
        static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(options.chains * steps);
    std::vector<Measured> chains;
    for (Index chain = 0; chain < options.chains; ++chain) {
      const Draws draws = draws_of_ensemble(run, chain * method.members, method.members, target.dim());
      chains.push_back(measure(draws, posterior));
      add_course(draws, method.members, posterior, picture.course);
      if (chain == 0) picture.draws = draws.values;
    }
    add(label, "|mean - truth|^2", chains, &Measured::error, result);
    add(label, "the same, weighted by e", chains, &Measured::weighted_error, result);
    add(label, "tr(P Cov)/D, truth 1", chains, &Measured::spread, result);
  } catch (const Diverged& error) {
    result.rows.push_back({label, "diverged_at", static_cast<double>(error.iteration), std::nullopt, std::nullopt});
  }
  return picture;
}

constexpr int rows_in_figures = 1000;

Figure empty_draws() {
  return {
      "figure-1",
      "Simsekli et al. (2016), Figure 1: every tenth draw of one chain after the burn-in, with the ellipses of 1, 2 "
      "and 3 standard deviations of the posterior. N = 1000. PSGLD has smaller steps than printed: with those it is "
      "lost. The paper prints no numbers.",
      2,
      {}};
}

Series contour(const Posterior& posterior, double deviations) {
  const Eigen::LLT<Mat> precision(posterior.precision);
  const Mat root = precision.matrixU().solve(Mat::Identity(2, 2));
  return ellipse("", posterior.mean, root, deviations);
}

void add_draws(const Method& method, const Mat& draws, const Posterior& posterior, Figure& figure) {
  if (method.members > 2) return;  // the paper has M = 2 alone
  Series cloud{.name = method.name, .mark = Series::Mark::points, .x = {}, .y = {}};
  for (Index i = 0; i < draws.cols(); i += 10) {
    cloud.x.push_back(draws(0, i));
    cloud.y.push_back(draws(1, i));
  }
  const auto axis = [&](const char* label, Index i) {  // the same in all panels
    const double reach = 4.5 * std::sqrt(posterior.variance[i]);
    return Axis{.label = label, .range = {{posterior.mean[i] - reach, posterior.mean[i] + reach}}};
  };
  Panel panel{method.name, axis("θ₁", 0), axis("θ₂", 1), {std::move(cloud)}};
  for (const double deviations : {1.0, 2.0, 3.0}) panel.series.push_back(contour(posterior, deviations));
  figure.panels.push_back(std::move(panel));
}

Figure empty_errors() {
  return {"figure-2",
          "Simsekli et al. (2016), Figure 2: the error of the mean of all draws since the burn-in, the median over the "
          "chains. Left over steps, right over time. N = 1000. PSGLD has smaller steps than printed: with those it is "
          "lost. SGRLD factorises its metric once, not at every step as in the paper. The paper prints no numbers.",
          2,
          {}};
}

void add_error_panels(int dim, Figure& figure) {
  const Axis error{.label = "|mean − truth|²", .log = true};
  const std::string title = fmt::format("D = {}", dim);
  figure.panels.push_back({title, {.label = "steps after the burn-in", .log = true}, error, {}});
  figure.panels.push_back({title, {.label = "seconds of a processor", .log = true}, error, {}});
}

void add_errors(const Method& method, const Course& course, Figure& figure) {
  Series over_steps{.name = method.name, .x = course.steps, .y = {}};
  for (std::size_t i = 0; i < course.steps.size(); ++i) {
    Vec of_chains(std::ssize(course.errors));
    for (Index c = 0; c < of_chains.size(); ++c) of_chains[c] = course.errors[static_cast<std::size_t>(c)][i];
    over_steps.y.push_back(quantile(of_chains, 0.5));  // a chain that is lost would be all that a mean shows
  }
  Series over_time = over_steps;
  for (double& x : over_time.x) x *= course.seconds;
  const std::size_t last = figure.panels.size() - 1;
  figure.panels[last - 1].series.push_back(std::move(over_steps));
  figure.panels[last].series.push_back(std::move(over_time));
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
  Figure draws = empty_draws(), errors = empty_errors();
  for (const Problem& problem : problems) {
    if (options.quick && problem.dim == 100) continue;
    const Settings settings{{"dim", std::to_string(problem.dim)}, {"rows", std::to_string(problem.rows)}};
    const auto target = model.make(Config(model.name, model.params, settings), nullptr);
    const Moments moments = dynamic_cast<const ExactLaw&>(*target).moments();
    Posterior posterior{Mat(), moments.mean, moments.variance};
    target->geometry()->metric(posterior.mean, posterior.precision);
    const bool in_figures = problem.rows == rows_in_figures;
    if (in_figures && problem.dim > 2) add_error_panels(problem.dim, errors);
    for (Method method : methods(problem)) {
      method.settings["batch_size"] = std::to_string(problem.rows / 100);
      const std::string label = fmt::format("D = {}, N = {}: {}", problem.dim, problem.rows, method.name);
      options.on_method(label);
      const Picture picture = run_method(method, label, *target, posterior, base, result);
      if (!in_figures || !method.in_figures) continue;
      if (problem.dim == 2) {
        add_draws(method, picture.draws, posterior, draws);
      } else {
        add_errors(method, picture.course, errors);
      }
    }
  }
  result.figures = {std::move(draws), std::move(errors)};
  return result;
}

}  // namespace quasar
