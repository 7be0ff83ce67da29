// Figure 1 of Chen, Fox and Guestrin (2014): samples from U(theta) = theta^4 - 2 theta^2 with step 0.1 and 50 steps a
// trajectory. The paper draws densities and prints no numbers, so the reference is quadrature.
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include <quasar/diagnostics.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"

namespace quasar {
namespace {

struct Quantity {
  const char* name;
  double (*of)(double theta);
};

constexpr Quantity quantities[] = {
    {"E theta^2", [](double t) { return t * t; }},
    {"E theta^4", [](double t) { return t * t * t * t; }},
    {"P(|theta| < 1/2)", [](double t) { return std::abs(t) < 0.5 ? 1.0 : 0.0; }},
};

double integral(const std::function<double(double)>& f) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  double sum = 0;  // split where the indicator jumps; e^-U is below 1e-200 beyond 5
  for (const auto& [lo, hi] : {std::pair{-5.0, -0.5}, {-0.5, 0.5}, {0.5, 5.0}}) {
    sum += Rule::integrate(f, lo, hi, 15, 1e-13);
  }
  return sum;
}

double density(double t) { return std::exp(-t * t * t * t + 2 * t * t); }

void add_exact(ExperimentResult& result) {
  const double z = integral(density);
  for (const Quantity& q : quantities) {
    const double value = integral([&](double t) { return q.of(t) * density(t); }) / z;
    result.rows.push_back({"exact (quadrature)", q.name, value, std::nullopt, std::nullopt});
  }
}

void add_row(const std::string& method, const std::string& quantity, const Mat& values, ExperimentResult& result) {
  result.rows.push_back({method, quantity, mean(values), mcse_mean(values), std::nullopt});
}

void add_run(const std::string& method, const RunData& run, bool metropolis, ExperimentResult& result) {
  const Mat theta = draws_of(run, 0);
  for (const Quantity& q : quantities) add_row(method, q.name, theta.unaryExpr(q.of), result);
  if (metropolis) add_row(method, "acceptance", statistic(run, "acceptance_rate"), result);
}

}  // namespace

ExperimentResult run_sghmc_double_well(const ExperimentOptions& options) {
  const ModelEntry& model = find_model("double-well");
  const auto target = model.make(Config(model.name, model.params, {}), nullptr);
  const SamplerEntry& sampler = find_sampler("hmc");
  SampleOptions run_options;
  run_options.schedule = {100, options.quick ? 20'000 : 500'000, 1};
  run_options.seed = options.seed;

  Settings settings{{"step_size", "0.1"}, {"leapfrog_steps", "50"}, {"metric", "identity"}, {"jitter", "0"}};

  ExperimentResult result{settings, {}};
  result.settings["chains"] = std::to_string(run_options.chains);
  result.settings["draws"] = std::to_string(run_options.schedule.draws);
  add_exact(result);
  for (const bool metropolis : {true, false}) {
    settings["metropolis"] = metropolis ? "true" : "false";
    const char* const method = metropolis ? "HMC with MH" : "HMC without MH";
    options.on_method(method);
    const RunData run = sample(*target, sampler, Config(sampler.name, sampler.params, settings), run_options);
    add_run(method, run, metropolis, result);
  }
  return result;
}

}  // namespace quasar
