// Figure 1 of Chen, Fox and Guestrin (2014): samples from U(theta) = theta^4 - 2 theta^2 with step 0.1 and 50 steps a
// trajectory, gradients exact or with noise N(0, 4). The paper draws densities and prints no numbers, so the reference
// is quadrature; the friction is 3, as in the code that came with the paper.
//
// Noise without friction and without a Metropolis test widens the law, by how much depends on whether the two half
// kicks at a point share one gradient.
#include <boost/math/quadrature/gauss.hpp>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"

namespace quasar {
namespace {

constexpr double half_bin = 0.05, bin = 2 * half_bin;

double near(double t, double place) { return std::abs(t - place) < half_bin ? 1 / bin : 0; }

struct Quantity {
  const char* name;
  double (*of)(double theta);
};

constexpr Quantity quantities[] = {
    {"E theta^2", [](double t) { return t * t; }},
    {"E theta^4", [](double t) { return t * t * t * t; }},
    {"P(|theta| < 1/2)", [](double t) { return std::abs(t) < 0.5 ? 1.0 : 0.0; }},
    {"density near 0", [](double t) { return near(t, 0); }},
    {"density near 0.5", [](double t) { return near(t, 0.5); }},
    {"density near 1", [](double t) { return near(t, 1); }},
    {"density near 1.5", [](double t) { return near(t, 1.5); }},
};

struct Method {
  const char *name, *sampler;
  Settings settings;
  bool in_figure = true;
};

std::vector<Method> methods() {
  const Settings exact{{"metric", "identity"}, {"jitter", "0"}}, noisy{{"gradient_noise", "4"}};
  const auto with = [](Settings settings, const Settings& more) {
    settings.insert(more.begin(), more.end());
    return settings;
  };
  const Settings metropolis{{"metropolis", "true"}}, none{{"metropolis", "false"}};
  const Settings half_kicks = with(noisy, {{"batch", "per_half_kick"}});
  const Settings friction = with(noisy, {{"friction", "3"}});
  return {{"HMC with MH", "hmc", with(exact, metropolis)},
          {"HMC without MH", "hmc", with(exact, none)},
          {"naive with MH, two half kicks", "sghmc-naive", with(half_kicks, metropolis), false},
          {"naive with MH, one kick", "sghmc-naive", with(noisy, metropolis)},
          {"naive without MH, two half kicks", "sghmc-naive", half_kicks},
          {"naive without MH, one kick", "sghmc-naive", noisy},
          {"SGHMC", "sghmc", with(friction, {{"noise_variance", "4"}, {"refresh", "true"}})},
          {"SGHMC, momentum never redrawn", "sghmc", with(friction, {{"noise_variance", "4"}}), false},
          {"SGHMC, noise not corrected for", "sghmc", with(friction, {{"noise_variance", "0"}, {"refresh", "true"}}),
           false}};
}

double density(double t) { return std::exp(-t * t * t * t + 2 * t * t); }

// In pieces that end wherever one of the quantities jumps; e^-U is below 1e-200 beyond 5.
template <class F>
double integral(const F& f) {
  constexpr int pieces = 100;
  double sum = 0;
  for (int i = -pieces; i < pieces; ++i) {
    sum += boost::math::quadrature::gauss<double, 15>::integrate(f, i * half_bin, (i + 1) * half_bin);
  }
  return sum;
}

constexpr const char* exact_law = "exact (quadrature)";

void add_exact(ExperimentResult& result) {
  const double z = integral(density);
  for (const Quantity& q : quantities) {
    const double value = integral([&](double t) { return q.of(t) * density(t); }) / z;
    result.rows.push_back({exact_law, q.name, value, std::nullopt, std::nullopt});
  }
}

void add_row(const std::string& method, const std::string& quantity, const Mat& values, ExperimentResult& result) {
  result.rows.push_back({method, quantity, mean(values), mcse_mean(values), std::nullopt});
}

void add_run(const Method& method, const RunData& run, ExperimentResult& result) {
  const Mat theta = draws_of(run, 0);
  for (const Quantity& q : quantities) add_row(method.name, q.name, theta.unaryExpr(q.of), result);
  const auto metropolis = method.settings.find("metropolis");
  if (metropolis != method.settings.end() && metropolis->second == "true") {
    add_row(method.name, "acceptance", statistic(run, "acceptance_rate"), result);
  }
}

constexpr int outermost_bin = 22;  // around 2.2: the paper's axis ends at 2

// Drawn as print is, over the others and dashed: it is what they are held against.
Series exact_density() {
  const double z = integral(density);
  Series curve{.name = exact_law, .x = {}, .y = {}, .printed = true};
  for (int i = -4 * outermost_bin; i <= 4 * outermost_bin; ++i) {
    curve.x.push_back(i * bin / 4);
    curve.y.push_back(density(curve.x.back()) / z);
  }
  return curve;
}

// The shares of the draws in bins around multiples of the bin's width, over that width: those of the rows and the
// others.
Series density_of(const Method& method, const Mat& theta) {
  Series curve{.name = method.name, .x = {}, .y = {}};
  for (int i = -outermost_bin; i <= outermost_bin; ++i) curve.x.push_back(i * bin);
  curve.y.assign(curve.x.size(), 0);
  for (const double t : theta.reshaped()) {
    const auto nearest = std::lround(t / bin);
    if (std::abs(nearest) > outermost_bin) continue;
    curve.y[static_cast<std::size_t>(nearest + outermost_bin)] += 1 / (bin * static_cast<double>(theta.size()));
  }
  return curve;
}

Figure empty_figure() {
  return {
      "figure-1",
      "Chen, Fox and Guestrin (2014), Figure 1: densities of the draws of samplers, and that of e^-U. The naive "
      "sampler "
      "without a Metropolis test is here in two readings of the paper, one noisy gradient at a point or one for each "
      "half kick; with the test both have the same law. The paper draws curves and prints no numbers.",
      1,
      {{"", {.label = "θ"}, {.label = "density"}, {exact_density()}}}};
}

}  // namespace

ExperimentResult run_sghmc_double_well(const ExperimentOptions& options) {
  const ModelEntry& model = find_model("double-well");
  const auto target = model.make(Config(model.name, model.params, {}), nullptr);
  SampleOptions run_options;
  run_options.schedule = {100, options.quick ? 20'000 : 500'000, 1};
  run_options.seed = options.seed;

  const Settings shared{{"step_size", "0.1"}, {"leapfrog_steps", "50"}};
  ExperimentResult result{{{"chains", std::to_string(run_options.chains)},
                           {"draws", std::to_string(run_options.schedule.draws)},
                           {"gradient_noise", "4, but for HMC"},
                           {"friction", "3"},
                           {"width of a bin", "0.1"}},
                          {}};
  result.settings.insert(shared.begin(), shared.end());
  add_exact(result);
  Figure figure = empty_figure();
  for (const Method& method : methods()) {
    options.on_method(method.name);
    const SamplerEntry& sampler = find_sampler(method.sampler);
    Settings settings = method.settings;
    settings.insert(shared.begin(), shared.end());
    const RunData run = sample(*target, sampler, Config(sampler.name, sampler.params, settings), run_options);
    add_run(method, run, result);
    if (method.in_figure) figure.panels.front().series.push_back(density_of(method, draws_of(run, 0)));
  }
  result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace quasar
