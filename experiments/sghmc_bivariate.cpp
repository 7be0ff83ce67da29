// Figure 3 of Chen, Fox and Guestrin (2014): a Gaussian of two coordinates with correlation 0.9, gradients with noise
// N(0, I), five step sizes. The paper draws error against autocorrelation time; here both are exact beside what is
// simulated, since on a Gaussian every sampler is a linear recursion z <- F z + N(0, Q).
#include <Eigen/LU>
#include <fmt/core.h>

#include <cmath>

#include <quasar/diagnostics.hpp>
#include <quasar/sample.hpp>

#include "experiments/experiments.hpp"

namespace quasar {
namespace {

constexpr double correlation = 0.9;
const Eigen::Matrix2d covariance{{1, correlation}, {correlation, 1}};

struct Recursion {
  Mat f, q;  // the first two coordinates of z are x
};

struct Method {
  std::string name;
  const char* sampler;
  Settings settings;
  Recursion recursion;
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
    const std::string setting = ", setting " + std::to_string(i);
    all.push_back(
        {"SGLD" + setting, "sgld", {{"step_size", langevin_step}, {"gradient_noise", "1"}}, langevin(step, 1)});
    // Noise of variance 2 e - e^2 V beside the gradient's own e^2 V: the law is that of exact gradients.
    all.push_back({"SGLD corrected" + setting, "sgld", {{"step_size", langevin_step}}, langevin(step, 0)});
    all.push_back({"SGHMC" + setting,
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

class Report {
 public:
  Report(const Method& method, ExperimentResult& result) : method_(&method), result_(&result) {}

  void add_exact() {
    const Mat s = stationary_covariance(method_->recursion);
    const Mat& f = method_->recursion.f;
    const Mat one = Mat::Identity(f.rows(), f.cols());
    const double lags = ((one - f).lu().solve(f * s))(0, 0) / s(0, 0);  // sum over k of (F^k S)_11 / S_11
    add("MAE, exact", mean_absolute_error(s));
    add("variance, exact", s(0, 0));
    add("1 + 2 sum rho, exact", 1 + 2 * lags);
    add("1 + sum rho, exact", 1 + lags);
  }

  void add_simulated(const RunData& run) {
    const Mat x = draws_of(run, 0), y = draws_of(run, 1);
    const Mat squares = x.cwiseAbs2();
    const double cross = x.cwiseProduct(y).mean();
    const Estimate tau = autocorrelation_time_by_batches(x);
    add("MAE, simulated", mean_absolute_error(Mat{{squares.mean(), cross}, {cross, y.cwiseAbs2().mean()}}));
    add("variance, simulated", mean(squares), mcse_mean(squares));
    add("1 + 2 sum rho, simulated", tau.value, tau.error);
  }

 private:
  void add(const char* quantity, double value, std::optional<double> error = std::nullopt) {
    result_->rows.push_back({method_->name, quantity, value, error, std::nullopt});
  }
  const Method* method_;
  ExperimentResult* result_;
};

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
  for (const Method& method : methods()) {
    options.on_method(method.name);
    Report report(method, result);
    report.add_exact();
    const SamplerEntry& sampler = find_sampler(method.sampler);
    report.add_simulated(sample(*target, sampler, Config(sampler.name, sampler.params, method.settings), run_options));
  }
  return result;
}

}  // namespace quasar
