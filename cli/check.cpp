#include "check.hpp"

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>
#include <quasar/rng.hpp>

#include "diagnostics/checks.hpp"
#include "progress.hpp"

namespace quasar::cli {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Index most_points = 1000;  // the discrepancy looks at all pairs of them

// The seed is derived from the run's own, so that the two never share a random number.
SampleOptions exact_options(const SampleOptions& run) {
  SampleOptions options;
  options.chains = exact_chains;
  options.schedule = exact_schedule;
  options.seed = Rng(run.seed).stream("check").key();
  options.threads = run.threads;
  options.variables = run.variables;
  for (std::size_t i = 0; !run.initial.empty() && i < exact_chains; ++i) {
    options.initial.push_back(run.initial[i % run.initial.size()]);
  }
  return options;
}

RunData sample_exactly(const CheckRequest& request) {
  const SamplerEntry& nuts = find_sampler("nuts");
  const SampleOptions options = exact_options(request.options);
  std::vector<ChainProgress> progress(static_cast<std::size_t>(options.chains));
  const std::stop_source stop;
  const ProgressDisplay display(progress, options.schedule, request.quiet, stop);
  return sample(request.target, nuts, Config("sampler nuts", nuts.params, {}), options, progress, stop.get_token());
}

double ess_of_squares(const Mat& draws) { return ess_mean((draws.array() - mean(draws)).square().matrix()); }

// Standard errors are those of a right run: how much its moments vary is taken from the exact run, with the effective
// size of each. A run with wild draws cannot hide behind the errors that they give its own moments.
Deviation mean_deviation(const Mat& run, const Mat& exact) {
  return {(mean(run) - mean(exact)) / sd(exact), std::sqrt(1 / ess_mean(run) + 1 / ess_mean(exact))};
}

Deviation sd_deviation(const Mat& run, const Mat& exact) {
  const double spread = sd(exact);
  return {sd(run) / spread - 1, mcse_sd(exact) / spread * std::sqrt(1 + ess_of_squares(exact) / ess_of_squares(run))};
}

ExactComparison compare(const Run& run, const RunData& exact) {
  const std::vector<std::string> names = element_names(run.layout);
  ExactComparison comparison{exact.info, 1, "", {}};
  for_each_element(run, [&](Index element, const Mat& draws) {
    const std::string& name = names[static_cast<std::size_t>(element)];
    const Mat exact_draws = draws_of(exact, element);
    comparison.parameters.push_back({name, mean_deviation(draws, exact_draws), sd_deviation(draws, exact_draws)});
    if (const double r = rhat(exact_draws); r > comparison.largest_rhat) {
      comparison.largest_rhat = r;
      comparison.least_converged = name;
    }
  });
  return comparison;
}

// `count` draws as columns, evenly spaced over all chains one after another.
Mat thinned(const Run& run, Index count) {
  Mat values(run.layout.size(), count);
  const Index all = run.draws() * run.chains();
  for_each_element(run, [&](Index element, const Mat& draws) {
    for (Index k = 0; k < count; ++k) values(element, k) = draws.reshaped()[k * all / count];
  });
  return values;
}

struct ScoredPoints {
  Mat points, scores;  // in the sampler's coordinates; NaN where a draw has no density
};

bool score(Target& target, In values, Out x, Out grad) {
  try {
    target.unconstrain(values, x);
  } catch (const UsageError&) {  // a diverged run may leave values that the model does not allow
    return false;
  }
  return target.logp_grad(x, grad).ok;
}

ScoredPoints scored(Target& target, const Mat& draws) {
  ScoredPoints all{Mat(target.dim(), draws.cols()), Mat(target.dim(), draws.cols())};
  for (Index k = 0; k < draws.cols(); ++k) {
    if (!score(target, draws.col(k), all.points.col(k), all.scores.col(k))) all.scores.col(k).setConstant(undefined);
  }
  return all;
}

SteinDiscrepancy discrepancy(const ScoredPoints& of, const Vec& scales) {
  if (!scales.allFinite() || !(scales.array() > 0).all()) return {undefined, undefined, undefined};
  return kernel_stein_discrepancy(of.points, of.scores, {.scales = scales});
}

Vec deviations_of(const Mat& points) {
  Vec deviations(points.rows());
  for (Index i = 0; i < points.rows(); ++i) deviations[i] = sd(points.row(i).transpose());
  return deviations;
}

SteinComparison measure(const Run& run, const RunData* exact, const Target& model) {
  const auto target = model.fork();
  const Index count = std::min(most_points, run.draws() * run.chains());
  const ScoredPoints points = scored(*target, thinned(run, count));
  const Vec scales = deviations_of(points.points);
  SteinComparison comparison{count, discrepancy(points, scales), std::nullopt};
  if (exact) {
    Run in_memory;
    static_cast<RunHeader&>(in_memory) = *exact;
    in_memory.source = view_of(*exact);
    comparison.exact = discrepancy(scored(*target, thinned(in_memory, count)), scales);
  }
  return comparison;
}

}  // namespace

CheckRequest::CheckRequest(const std::string& which, const Target& model, const SampleOptions& of_run, bool no_progress)
    : exact(which.starts_with("exact")),
      ksd(which.ends_with("ksd")),
      target(model),
      options(of_run),
      quiet(no_progress) {
  const std::string why_not = ksd ? why_no_ksd(target, options) : "";
  if (!why_not.empty()) throw UsageError("--check ksd: " + why_not);
}

std::string why_no_ksd(const Target& model, const SampleOptions& of_run) {
  if (!model.support().empty()) {
    return "the density need not vanish at the bounds of natural coordinates; use unconstrained";
  }
  const auto* sum = dynamic_cast<const FiniteSum*>(&model);
  if (sum && !sum->proper_prior() && !model.conditionals().empty()) {
    return "what this model draws by Gibbs steps has no density, and so no gradient";
  }
  if (select_variables(model.layout(), of_run.variables).layout.size() != model.layout().size()) {
    return "gradients need every variable, and --variables leaves some out";
  }
  return {};
}

double Deviation::standard_errors() const { return std::abs(value) / mcse; }

bool Deviation::beyond_chance() const { return standard_errors() > chance_limit; }

bool ExactComparison::converged() const { return largest_rhat <= diagnostics::kRhatLimit; }

std::optional<RunCheck> check_run(const Run& run, const CheckRequest& request) {
  RunCheck check;
  std::optional<RunData> exact;
  if (request.exact) {
    exact = sample_exactly(request);
    if (exact->info.stopped_early) return std::nullopt;
    check.exact = compare(run, *exact);
  }
  if (request.ksd) check.ksd = measure(run, exact ? &*exact : nullptr, request.target);
  return check;
}

}  // namespace quasar::cli
