// Section 2.4 and Figure 2.3 of Roychowdhury (2017): the next close of the S&P 500 index from a hidden Markov model of
// the 500 closes before it, for 3168 trading days; and two predictions without any model, which the paper leaves out.
//
// The printed methods start anew in every window, with one start. A window that goes on from the one before is beside
// them: many times as fast, but it may stay in a poor optimum for years.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <quasar/errors.hpp>

#include "experiments/experiments.hpp"
#include "experiments/figures.hpp"
#include "experiments/read_series.hpp"
#include "experiments/thread_stopwatch.hpp"
#include "models/sequences/windows.hpp"

namespace quasar {
namespace {

constexpr Index window = 500;
constexpr int states = 5;
constexpr double printed_em = 6.44, printed_asymp_hmm = 3.16, printed_asymp_ihmm = 2.78;
const char* const file = "sp500/sp500_close.csv";

Sequences read_closes(const std::string& data_dir) {
  Sequences closes = read_series(data_dir, file, "close");
  if (closes.size() <= window) throw DataError(fmt::format("{}: more than {} closes are wanted", file, window));
  if (closes.values.minCoeff() <= 0) throw DataError(fmt::format("{}: a close is not positive", file));
  return closes;
}

// Stretches of the whole that are as far apart as can be, each with a window before it.
Sequences stretches_of(const Sequences& closes) {
  constexpr Index most_stretches = 10, most_days = 32;
  const Index days = std::min(most_days, closes.size() - window), length = window + days;
  const Index count = std::min(most_stretches, (closes.size() - window) / days);
  Sequences some{Mat(1, count * length), {}};
  for (Index i = 0; i < count; ++i) {
    const Index first = count > 1 ? i * (closes.size() - length) / (count - 1) : 0;
    some.starts.push_back(i * length);
    some.values.middleCols(i * length, length) = closes.values.middleCols(first, length);
  }
  return some;
}

WindowFit anew(const WindowFit& fit) {
  return [fit](const Sequences& data, const FittedHmm*) { return fit(data, nullptr); };
}

FittedHmm certain_of(double value) {
  return {{0}, Mat::Constant(1, 1, value), Mat::Zero(1, 1), Mat::Ones(1, 1), Mat::Ones(1, 1)};
}

FittedHmm last_value(const Sequences& data, const FittedHmm*) { return certain_of(data.values(0, data.size() - 1)); }
FittedHmm window_mean(const Sequences& data, const FittedHmm*) { return certain_of(data.values.mean()); }

class Forecasts {
 public:
  Forecasts(const Sequences& closes, const ExperimentOptions& options, ExperimentResult& result)
      : closes_(closes), options_(options), result_(result) {}

  void add(const std::string& name, const WindowFit& fit, std::optional<double> printed = std::nullopt) {
    const Forecast made = forecast_all(name, fit);
    add_row(name, "MAPE, %", made.errors.mean(), printed);
    if (name == "last value" || name == "window mean") return;
    add_row(name, "states, mean", made.mean_states);
    add_row(name, "CPU seconds", made.seconds);
  }

  // Means of fifty days at a time: errors, not the index, can be shown.
  void draw(const std::string& name) {
    const Vec& errors = errors_.at(name);
    const Index days = std::min<Index>(50, errors.size());
    for (Index first = 0; first + days <= errors.size(); first += days) {
      add_point(name, Series::Mark::line, static_cast<double>(first) + 0.5 * static_cast<double>(days),
                errors.segment(first, days).mean(), result_.figures.front().panels.at(1));
    }
  }

 private:
  struct Forecast {
    Vec errors;  // of every prediction, in per cent
    double mean_states, seconds;
  };

  Forecast forecast_all(const std::string& name, const WindowFit& fit) {
    options_.on_method(name);
    double states_seen = 0;
    const ThreadStopwatch watch;
    const RollingForecast all = rolling_forecast(closes_, window, [&](const Sequences& data, const FittedHmm* before) {
      FittedHmm found = fit(data, before);
      states_seen += static_cast<double>(std::set<int>(found.states.begin(), found.states.end()).size());
      return found;
    });
    const Vec errors = 100 * ((all.predicted - all.actual).array().abs() / all.actual.array()).transpose();
    errors_[name] = errors;
    return {errors, states_seen / static_cast<double>(errors.size()), watch.seconds()};
  }

  void add_row(const std::string& name, const char* quantity, double value,
               std::optional<double> printed = std::nullopt) {
    result_.rows.push_back({name, quantity, value, std::nullopt, printed});
  }

  const Sequences& closes_;
  const ExperimentOptions& options_;
  ExperimentResult& result_;
  std::map<std::string, Vec> errors_;
};

Figure empty_figure() {
  return {"figure-2.3",
          "Roychowdhury (2017), section 2.4: mean absolute percentage errors of one-step predictions of the S&P 500 "
          "index, ours beside the printed ones. Below: ours, in means of fifty days. The paper's Figure 2.3 draws the "
          "index and its predictions; its data may not be passed on, so errors are drawn instead.",
          1,
          {{}, {"", {.label = "trading day that is predicted, from the first"}, {.label = "MAPE, %", .log = true}, {}}},
          true};
}

}  // namespace

ExperimentResult run_sva_sp500(const ExperimentOptions& options) {
  const Sequences all = read_closes(options.data_dir);
  const Sequences closes = options.quick ? stretches_of(all) : all;
  ExperimentResult result{
      {{"predictions",
        fmt::format("{}, each from the {} closes before", closes.size() - closes.count() * window, window)},
       {"states", fmt::format("{}; the asymp-iHMM's penalties give about as many on average", states)},
       {"anew",
        "every window by itself, from k-means and random transitions, one start; others go on from the window "
        "before"}},
      {},
      {empty_figure()}};
  const Rng rng(options.seed);
  const auto asymp_hmm = [&](double lambda) {
    return make_window_fit(AsympHmmOptions{.states = states, .lambda = lambda, .restarts = 1}, rng.child("asymp-hmm"));
  };
  const auto em = [&](StateCovariance covariance) {
    return make_window_fit(
        HmmEmOptions{.states = states, .covariance = covariance, .restarts = 1, .starts = EmStarts::random},
        rng.child("em"));
  };
  const auto asymp_ihmm = [](const IhmmPenalties& penalties) {  // with the moves that were published
    return make_window_fit(AsympIhmmOptions{.penalties = penalties, .divide = false});
  };
  Forecasts forecasts(closes, options, result);
  forecasts.add("last value", last_value);
  forecasts.add("window mean", window_mean);
  for (const double lambda : {1.0, 100.0, 1000.0}) {
    const std::string name = fmt::format("asymp-HMM, lambda = {}", lambda);
    forecasts.add(name + ", anew", anew(asymp_hmm(lambda)), printed_asymp_hmm);
    forecasts.add(name, asymp_hmm(lambda), printed_asymp_hmm);
  }
  forecasts.add("asymp-iHMM, anew", anew(asymp_ihmm({100, 100, 14000})), printed_asymp_ihmm);
  forecasts.add("asymp-iHMM", asymp_ihmm({100, 100, 27000}), printed_asymp_ihmm);
  forecasts.add("HMM by EM, anew", anew(em(StateCovariance::shared)), printed_em);
  forecasts.add("HMM by EM", em(StateCovariance::shared), printed_em);
  forecasts.add("HMM by EM, own variances, anew", anew(em(StateCovariance::state)), printed_em);
  forecasts.add("HMM by EM, own variances", em(StateCovariance::state), printed_em);
  result.figures.front().panels.front() = beside_print(result.rows, "MAPE, %", true);
  for (const char* name : {"HMM by EM, anew", "asymp-HMM, lambda = 1, anew", "asymp-iHMM, anew", "last value"}) {
    forecasts.draw(name);
  }
  return result;
}

}  // namespace quasar
