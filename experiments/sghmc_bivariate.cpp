// Figure 3 of Chen, Fox and Guestrin (2014): a Gaussian of two coordinates with correlation 0.9, gradients with noise
// N(0, I), five step sizes. The paper draws error against autocorrelation time; here both are exact beside what is
// simulated, since on a Gaussian every sampler is a linear recursion z <- F z + N(0, Q).
#include <Eigen/LU>
#include <fmt/core.h>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"

namespace quasar {
namespace {

constexpr double correlation = 0.9;
const Eigen::Matrix2d covariance{{1, correlation}, {correlation, 1}};

struct Recursion {
  Mat f, q;  // the first two coordinates of z are x
};

struct Method {
  std::string family;
  int setting;
  const char* sampler;
  Settings settings;
  Recursion recursion;
  std::string name() const { return fmt::format("{}, setting {}", family, setting); }
};

Recursion langevin(double step, double noise) {
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
  return {one - step * covariance.inverse(), (2 * step + step * step * noise) * one};
}

// x <- x + v, v <- v - eta (P x + noise) - alpha v + N(0, 2 (alpha - eta/2) eta): with the noise of variance 1 all in
// all N(0, 2 alpha eta).
Recursion momentum(double eta, double alpha) {
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity(), pull = eta * covariance.inverse();
  Recursion r{Mat(4, 4), Mat::Zero(4, 4)};
  r.f << one, one, -pull, (1 - alpha) * one - pull;
  r.q.bottomRightCorner(2, 2) = 2 * alpha * eta * one;
  return r;
}

std::vector<Method> methods() {
  std::vector<Method> all;
  for (int i = 0; i < 5; ++i) {
    const double step = 0.18 * std::pow(0.8, i);
    const double eta = 0.05 * std::pow(0.36, i), alpha = 0.05 * std::pow(0.6, i);
    const std::string langevin_step = fmt::format("{}", step);
    all.push_back({"SGLD", i, "sgld", {{"step_size", langevin_step}, {"gradient_noise", "1"}}, langevin(step, 1)});
    // Noise of variance 2 e - e^2 V beside the gradient's own e^2 V: the law is that of exact gradients.
    all.push_back({"SGLD corrected", i, "sgld", {{"step_size", langevin_step}}, langevin(step, 0)});
    all.push_back({"SGHMC",
                   i,
                   "sghmc",
                   {{"learning_rate", fmt::format("{}", eta)},
                    {"momentum_decay", fmt::format("{}", alpha)},
                    {"noise_variance", "1"},
                    {"gradient_noise", "1"}},
                   momentum(eta, alpha)});
  }
  return all;
}

// S = F S F' + Q, by doubling.
Mat stationary_covariance(const Recursion& recursion) {
  constexpr int doublings = 40;
  Mat f = recursion.f, s = recursion.q;
  for (int i = 0; i < doublings; ++i) {
    s = (s + f * s * f.transpose()).eval();
    f = (f * f).eval();
  }
  return s;
}

struct Estimate {
  double value, error;
};

// tau = length Var(mean of a batch) / Var(draw). A sum over lags would be cut where it first turns negative, and with
// momentum autocorrelations swing: it would come out far too large.
Estimate autocorrelation_time_by_batches(const Mat& draws) {
  constexpr Index length = 2000;
  const Index batches = draws.rows() / length;
  Mat means(batches, draws.cols());
  for (Index i = 0; i < batches; ++i) means.row(i) = draws.middleRows(i * length, length).colwise().mean();
  const double tau = static_cast<double>(length) * std::pow(sd(means) / sd(draws), 2);
  return {tau, tau * std::sqrt(2 / static_cast<double>(means.size() - 1))};
}

double mean_absolute_error(const Mat& found) { return (found.topLeftCorner(2, 2) - covariance).cwiseAbs().mean(); }

struct Quality {
  double time, error;  // 1 + sum rho, the paper's autocorrelation time; of the covariance
};

class Report {
 public:
  Report(const Method& method, ExperimentResult& result) : name_(method.name()), method_(&method), result_(&result) {}

  Quality add_exact() {
    const Mat s = stationary_covariance(method_->recursion);
    const Mat& f = method_->recursion.f;
    const Mat one = Mat::Identity(f.rows(), f.cols());
    const double lags = (one - f).lu().solve(f * s).eval()(0, 0) / s(0, 0);  // sum over k of (F^k S)_11 / S_11
    add("MAE, exact", mean_absolute_error(s));
    add("variance, exact", s(0, 0));
    add("1 + 2 sum rho, exact", 1 + 2 * lags);
    add("1 + sum rho, exact", 1 + lags);
    return {1 + lags, mean_absolute_error(s)};
  }

  Quality add_simulated(const RunData& run) {
    const Mat x = draws_of(run, 0), y = draws_of(run, 1);
    const Mat squares = x.cwiseAbs2();
    const double cross = x.cwiseProduct(y).mean();
    const Estimate tau = autocorrelation_time_by_batches(x);
    const double error = mean_absolute_error(Mat{{squares.mean(), cross}, {cross, y.cwiseAbs2().mean()}});
    add("MAE, simulated", error);
    add("variance, simulated", mean(squares), mcse_mean(squares));
    add("1 + 2 sum rho, simulated", tau.value, tau.error);
    return {(1 + tau.value) / 2, error};
  }

 private:
  void add(const char* quantity, double value, std::optional<double> error = std::nullopt) {
    result_->rows.push_back({name_, quantity, value, error, std::nullopt});
  }
  std::string name_;
  const Method* method_;
  ExperimentResult* result_;
};

Series contour(double deviations) {
  const Mat root{{1, 0}, {correlation, std::sqrt(1 - correlation * correlation)}};
  return ellipse("1 and 2 standard deviations", Vec::Zero(2), root, deviations);
}

Figure empty_figure() {
  return {
      "figure-3",
      "Chen, Fox and Guestrin (2014), Figure 3: a Gaussian with correlation 0.9, gradients with noise N(0, I). Left: "
      "error of the covariance and autocorrelation time of five settings, exact (lines) and simulated (points). Right: "
      "50 successive draws of the first setting, after warm-up. The paper draws points and prints no numbers.",
      2,
      {{"", {.label = "autocorrelation time, 1 + Σρ"}, {.label = "mean absolute error of the covariance"}, {}},
       {"", {.label = "θ₁"}, {.label = "θ₂"}, {contour(1), contour(2)}}}};
}

void add_to_figure(const Method& method, const Quality& exact, const Quality& simulated, const RunData& run,
                   Figure& figure) {
  constexpr int drawn_setting = 0;
  constexpr Index drawn = 50;
  if (method.family == "SGLD corrected") return;  // the paper has only the other
  Panel &errors = figure.panels[0], &draws = figure.panels[1];
  add_point(method.family, Series::Mark::line, exact.time, exact.error, errors);
  add_point(method.family, Series::Mark::points, simulated.time, simulated.error, errors);
  if (method.setting != drawn_setting) return;
  const Mat x = draws_of(run, 0), y = draws_of(run, 1);
  for (Index i = 0; i < drawn; ++i) {
    for (const Series::Mark mark : {Series::Mark::line, Series::Mark::points}) {
      add_point(method.family, mark, x(i, 0), y(i, 0), draws);
    }
  }
}

}  // namespace

ExperimentResult run_sghmc_bivariate(const ExperimentOptions& options) {
  const ModelEntry& model = find_model("gaussian");
  const Settings target_settings{{"dim", "2"}, {"correlation", fmt::format("{}", correlation)}};
  const auto target = model.make(Config(model.name, model.params, target_settings), nullptr);
  SampleOptions run_options;
  run_options.schedule = {1000, options.quick ? 100'000 : 500'000, 1};
  run_options.seed = options.seed;
  ExperimentResult result{{{"SGLD", "step_size 0.18 * 0.8^setting"},
                           {"SGHMC", "learning_rate 0.05 * 0.36^setting, momentum_decay 0.05 * 0.6^setting"},
                           {"gradient_noise", "1"},
                           {"chains", std::to_string(run_options.chains)},
                           {"draws", std::to_string(run_options.schedule.draws)}},
                          {}};
  result.settings.insert(target_settings.begin(), target_settings.end());
  Figure figure = empty_figure();
  for (const Method& method : methods()) {
    options.on_method(method.name());
    Report report(method, result);
    const Quality exact = report.add_exact();
    const SamplerEntry& sampler = find_sampler(method.sampler);
    const RunData run = sample(*target, sampler, Config(sampler.name, sampler.params, method.settings), run_options);
    const Quality simulated = report.add_simulated(run);
    add_to_figure(method, exact, simulated, run, figure);
  }
  result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace quasar
