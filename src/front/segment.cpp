#include "front/segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "front/prediction_params.hpp"
#include "models/sequences/beam_summary.hpp"
#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

constexpr std::array<std::string_view, 4> method_names = {"asymp-ihmm", "asymp-hmm", "hmm-em", "ihmm-beam"};
constexpr std::array<std::string_view, 3> emission_names = {"normal", "poisson", "categorical"};

constexpr Choice methods[] = {{"asymp-ihmm"}, {"asymp-hmm"}, {"hmm-em"}, {"ihmm-beam"}};
constexpr Choice emissions[] = {{"normal"}, {"poisson"}, {"categorical"}};
constexpr Choice selectors[] = {{"bic"}, {"fewest_states"}};
constexpr Choice covariances[] = {{"shared"}, {"state"}, {"full"}};
constexpr Choice standardizing[] = {{"auto"}, {"yes"}, {"no"}};

// What belongs to some methods only.
struct Belongs {
  std::string_view name;
  std::vector<SegmentMethod> methods;
  std::string_view instead;  // what a user of another method may do
};

const std::vector<Belongs>& belongings() {
  using enum SegmentMethod;
  static const std::vector<Belongs> all = {
      {"states", {asymp_hmm, hmm_em}, "it finds the number of states itself; --method asymp-hmm or hmm-em takes one"},
      {"lambda", {asymp_ihmm, asymp_hmm}, "it has no penalties"},
      {"lambda1", {asymp_ihmm}, "only asymp-ihmm has it"},
      {"lambda2", {asymp_ihmm}, "only asymp-ihmm has it"},
      {"selector", {asymp_ihmm}, "only asymp-ihmm chooses penalties"},
      {"covariance", {hmm_em}, "only hmm-em fits covariances"},
      {"restarts", {asymp_hmm, hmm_em}, "it starts from no random point"},
      {"warmup", {ihmm_beam}, "only ihmm-beam makes sweeps"},
      {"sweeps", {ihmm_beam}, "only ihmm-beam makes sweeps"},
      {"window", {asymp_ihmm, asymp_hmm, hmm_em}, "a sampler for every window would take too long; use asymp-ihmm"},
  };
  return all;
}

template <class Names>
auto index_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) - names.begin();
}

std::optional<double> penalty(const Config& config, std::string_view name) {
  const std::string& text = config.text(name);
  if (text == "auto") return std::nullopt;
  const auto value = parse_real(text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    throw UsageError(fmt::format("--{} = '{}': must be a number, at least 0, or auto", name, text));
  }
  return *value;
}

void refuse_foreign(const SegmentSettings& settings, const Settings& given) {
  for (const Belongs& one : belongings()) {
    if (!given.contains(std::string(one.name)) || std::ranges::count(one.methods, settings.method) > 0) continue;
    throw UsageError(fmt::format("--{} is not for {}: {}", one.name, to_string(settings.method), one.instead));
  }
  const bool needs_states = settings.method == SegmentMethod::asymp_hmm || settings.method == SegmentMethod::hmm_em;
  if (needs_states && settings.states == 0) {
    throw UsageError(
        fmt::format("{} needs --states; --method asymp-ihmm finds how many there are", to_string(settings.method)));
  }
  if (settings.emission == Emission::normal) return;
  for (const char* name : {"covariance", "standardize"}) {
    if (given.contains(name)) {
      throw UsageError(
          fmt::format("--{} is for normal emissions, not for {} ones", name, to_string(settings.emission)));
    }
  }
  if (settings.emission == Emission::categorical && settings.window > 0) {
    throw UsageError("--window judges forecasts of numbers, not of categories");
  }
}

// Columns in units of their standard deviations: of several, none outweighs the others then.
class Units {
 public:
  Units(const Sequences& data, bool standardize)
      : mean_(Vec::Zero(data.dim())), sd_(Vec::Ones(data.dim())), standardized_(standardize) {
    for (Index row = 0; standardize && row < data.dim(); ++row) {
      double n = 0, sum = 0, squares = 0;
      for (const double x : data.values.row(row)) {
        if (std::isnan(x)) continue;
        n += 1;
        sum += x;
      }
      if (n > 0) mean_[row] = sum / n;
      for (const double x : data.values.row(row)) {
        if (!std::isnan(x)) squares += (x - mean_[row]) * (x - mean_[row]);
      }
      if (squares > 0) sd_[row] = std::sqrt(squares / n);
    }
  }

  bool standardized() const { return standardized_; }
  Sequences of(const Sequences& data) const {
    if (!standardized_) return data;
    return {((data.values.colwise() - mean_).array().colwise() / sd_.array()).matrix(), data.starts};
  }
  Mat back(const Mat& values) const { return ((values.array().colwise() * sd_.array()).matrix()).colwise() + mean_; }
  Mat distances_back(const Mat& values) const { return values.array().colwise() * sd_.array(); }
  void back(FittedHmm& model) const {
    if (!standardized_) return;
    model.centres = back(model.centres);
    model.variances = distances_back(distances_back(model.variances));
  }

 private:
  Vec mean_, sd_;
  bool standardized_;
};

bool standardizes(const Sequences& data, const SegmentSettings& settings) {
  if (settings.emission != Emission::normal) return false;
  // The priors of the beam sampler are those of a series about 0 with variance 1.
  return settings.method == SegmentMethod::ihmm_beam || settings.standardize.value_or(data.dim() > 1);
}

AsympIhmmOptions ihmm_options(const SegmentSettings& settings) {
  AsympIhmmOptions options;
  options.emission = settings.emission;
  options.threads = settings.threads > 0 ? settings.threads : available_threads();
  return options;
}

HmmEmOptions em_options(const SegmentSettings& settings) {
  HmmEmOptions options;
  options.emission = settings.emission;
  options.states = static_cast<int>(settings.states);
  options.covariance = settings.covariance;
  options.restarts = settings.restarts;
  return options;
}

PenaltyGrid grid_of(const Sequences& data, const SegmentSettings& settings) {
  PenaltyGrid grid = default_grid(data, settings.emission);
  if (settings.lambda) grid.lambda = {*settings.lambda};
  if (settings.lambda1) grid.lambda1 = {*settings.lambda1};
  if (settings.lambda2) grid.lambda2 = {*settings.lambda2};
  return grid;
}

SelectedFit select(const Sequences& data, const SegmentSettings& settings) {
  return select_penalties(data, ihmm_options(settings), grid_of(data, settings), settings.selector);
}

// Of a long series stretches of equal length, evenly spread: enough to choose penalties by.
constexpr Index most_points_to_choose_by = 20'000, stretches = 20;

Sequences spread_stretches(const Sequences& data) {
  constexpr Index length = most_points_to_choose_by / stretches;
  Sequences all{Mat(data.dim(), most_points_to_choose_by), {}};
  for (Index i = 0; i < stretches; ++i) {
    const Index begin = i * (data.size() - length) / (stretches - 1), to = i * length;
    all.values.middleCols(to, length) = data.values.middleCols(begin, length);
    all.starts.push_back(to);
    for (const Index start : data.starts) {
      if (start > begin && start < begin + length) all.starts.push_back(to + start - begin);
    }
  }
  return all;
}

// The path that a model of some stretches gives the whole series, to start from.
Path path_by(const FittedHmm& model, const Sequences& data, const SegmentSettings& settings, double lambda) {
  constexpr double unseen = 0.01;  // share of what was not seen in the stretches
  const auto states = static_cast<double>(model.centres.cols());
  Mat centres = model.centres;
  if (settings.emission != Emission::normal) {  // no count, and no category, is impossible
    const Vec mean = centres_of(data, Path(static_cast<std::size_t>(data.size()), 0), centres.leftCols(1));
    centres = (1 - unseen) * centres + unseen * mean.replicate(1, centres.cols());
  }
  const PathCosts costs{divergences(data, settings.emission, centres), Vec::Zero(centres.cols()),
                        -lambda * ((1 - unseen) * model.transition.array() + unseen / states).log().matrix()};
  return viterbi(data, costs).states;
}

SelectedFit select_for_all(const Sequences& data, const SegmentSettings& settings) {
  if (data.size() <= most_points_to_choose_by) return select(data, settings);
  const Sequences some = spread_stretches(data);
  SelectedFit selected = select(some, settings);
  AsympIhmmOptions options = ihmm_options(settings);
  options.penalties = selected.penalties;
  const FittedHmm model = fitted(some, options, selected.fit);
  selected.fit = fit_asymp_ihmm(data, options, path_by(model, data, settings, options.penalties.lambda));
  return selected;
}

AsympHmmOptions hmm_options(const Sequences& data, const SegmentSettings& settings, const Rng& rng) {
  AsympHmmOptions options;
  options.emission = settings.emission;
  options.states = static_cast<int>(settings.states);
  options.restarts = settings.restarts;
  if (settings.lambda) {
    options.lambda = *settings.lambda;
  } else if (settings.emission == Emission::normal) {
    // Paths are the most probable ones at lambda = 2 s^2. s^2 is first that within the clusters of k-means, then that
    // within the states which these give.
    const double values = std::max<double>(1, static_cast<double>((!data.values.array().isNaN()).count()));
    options.lambda = 0;
    for (const char* round : {"spread of clusters", "spread of states"}) {
      const HmmFit fit = fit_asymp_hmm(data, options, rng.child(round));
      options.lambda = 2 * total_divergence(options.emission, data, fit.states, fit.centres) / values;
    }
  }
  return options;
}

BeamOptions beam_options(const Sequences& data, const SegmentSettings& settings) {
  BeamOptions options;
  options.emission = settings.emission;
  options.learn_variance = settings.emission == Emission::normal;
  options.variance = 0.1;  // of a total of 1, since columns are in those units
  options.precision_prior = {1, 0.01};
  if (settings.emission == Emission::poisson) {
    const auto observed = !data.values.array().isNaN();
    const double mean =
        observed.select(data.values.array(), 0).sum() / std::max<double>(1, static_cast<double>(observed.count()));
    options.rate_prior = {1, 1 / std::max(mean, 1e-3)};
  }
  return options;
}

FittedHmm fit(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found) {
  switch (settings.method) {
    case SegmentMethod::asymp_ihmm: {
      SelectedFit selected = select_for_all(data, settings);
      found.penalties = selected.penalties;
      found.objective = selected.fit.objective;
      found.converged = selected.fit.converged;
      if (selected.tried.size() > 1) found.tried = std::move(selected.tried);
      return fitted(data, ihmm_options(settings), selected.fit);
    }
    case SegmentMethod::asymp_hmm: {
      const AsympHmmOptions options = hmm_options(data, settings, rng);
      const HmmFit best = fit_asymp_hmm(data, options, rng);
      found.lambda = options.lambda;
      found.objective = best.objective;
      found.converged = best.converged;
      return fitted(data, options, best);
    }
    case SegmentMethod::hmm_em: {
      const HmmEmOptions options = em_options(settings);
      const HmmEmFit best = fit_hmm_em(data, options, rng);
      found.log_likelihood = best.log_likelihood;
      found.converged = best.converged;
      return fitted(data, options, best);
    }
    case SegmentMethod::ihmm_beam: {
      const BeamRun run = run_beam(data, beam_options(data, settings), settings.warmup, settings.sweeps, rng);
      found.states_probability = run.states_probability;
      found.change_probability = run.change_probability;
      IhmmFit best;
      best.states = run.best.states;
      best.stats = stats_of(settings.emission, data, best.states);
      return fitted(data, ihmm_options(settings), best);
    }
  }
  throw std::logic_error("unknown method");
}

// State k becomes state order[k].
void renumber(FittedHmm& model) {
  const Index states = model.centres.cols();
  std::vector<Index> seen;  // states by their first points
  std::vector<int> place(static_cast<std::size_t>(states), -1);
  const auto take = [&](Index state) {
    int& at = place[static_cast<std::size_t>(state)];
    if (at >= 0) return;
    at = static_cast<int>(seen.size());
    seen.push_back(state);
  };
  for (const int state : model.states) take(state);
  for (Index state = 0; state < states; ++state) take(state);
  for (int& state : model.states) state = place[static_cast<std::size_t>(state)];
  model.centres = Mat(model.centres(Eigen::all, seen));
  model.variances = Mat(model.variances(Eigen::all, seen));
  model.transition = Mat(model.transition(seen, seen));
  model.last = Mat(model.last(seen, Eigen::all));
}

std::vector<Segment> segments_of(const Sequences& data, const Path& states) {
  std::vector<Segment> all;
  for (Index s = 0; s < data.count(); ++s) {
    const Index first = data.starts[static_cast<std::size_t>(s)];
    for (Index t = first; t < data.end(s); ++t) {
      const int state = states[static_cast<std::size_t>(t)];
      if (t == first || state != all.back().state) all.push_back({s, t, t, state});
      all.back().last = t;
    }
  }
  return all;
}

WindowFit window_fit(const Sequences& first, const SegmentSettings& settings, const Rng& rng,
                     WindowForecasts& windows) {
  switch (settings.method) {
    case SegmentMethod::asymp_ihmm: {
      AsympIhmmOptions options = ihmm_options(settings);
      options.penalties = select(first, settings).penalties;
      windows.penalties = options.penalties;
      return make_window_fit(options);
    }
    case SegmentMethod::asymp_hmm:
      return make_window_fit(hmm_options(first, settings, rng), rng);
    default:
      return make_window_fit(em_options(settings), rng);
  }
}

ForecastError error_of(std::string name, const Mat& predicted, const Mat& actual) {
  ForecastError error{std::move(name), Vec(actual.rows()), Vec(actual.rows())};
  for (Index row = 0; row < actual.rows(); ++row) {
    double relative = 0, squares = 0, not_zero = 0, known = 0;
    for (Index i = 0; i < actual.cols(); ++i) {
      const double x = actual(row, i), off = predicted(row, i) - x;
      if (std::isnan(off)) continue;
      known += 1;
      squares += off * off;
      if (x == 0) continue;
      not_zero += 1;
      relative += std::abs(off / x);
    }
    error.mape[row] = 100 * relative / not_zero;  // NaN: there is nothing to judge by
    error.rmse[row] = std::sqrt(squares / known);
  }
  return error;
}

// The last value, and the mean of the window; where values are missing, of those that are not.
std::array<Mat, 2> trivial_forecasts(const Sequences& data, Index length, const std::vector<Index>& points) {
  std::array<Mat, 2> all = {Mat(data.dim(), std::ssize(points)), Mat(data.dim(), std::ssize(points))};
  for (Index i = 0; i < std::ssize(points); ++i) {
    const Index end = points[static_cast<std::size_t>(i)];
    for (Index row = 0; row < data.dim(); ++row) {
      double last = std::numeric_limits<double>::quiet_NaN(), sum = 0, n = 0;
      for (Index t = end - length; t < end; ++t) {
        if (std::isnan(data.values(row, t))) continue;
        last = data.values(row, t);
        sum += last;
        n += 1;
      }
      all[0](row, i) = last;
      all[1](row, i) = sum / n;
    }
  }
  return all;
}

WindowForecasts forecast_windows(const Sequences& data, const SegmentSettings& settings, const Rng& rng) {
  Index longest = 0, start = 0;
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], size = data.end(s) - begin;
    if (longest <= settings.window && size > settings.window) start = begin;
    longest = std::max(longest, size);
  }
  if (longest <= settings.window) {
    throw UsageError(fmt::format("--window {}: the longest sequence has {} points, and one behind the window is needed",
                                 settings.window, longest));
  }
  // Penalties and units are those of the first window: a forecast knows nothing of what comes later.
  const Sequences first{data.values.middleCols(start, settings.window)};
  const Units units(first, standardizes(data, settings));
  WindowForecasts windows;
  const WindowFit fit_one = window_fit(units.of(first), settings, rng, windows);
  windows.forecasts = rolling_forecast(units.of(data), settings.window, fit_one);
  windows.forecasts.predicted = units.back(windows.forecasts.predicted);
  windows.forecasts.actual = units.back(windows.forecasts.actual);
  const Mat& actual = windows.forecasts.actual;
  const auto trivial = trivial_forecasts(data, settings.window, windows.forecasts.points);
  windows.errors = {error_of("model", windows.forecasts.predicted, actual), error_of("last value", trivial[0], actual),
                    error_of("window mean", trivial[1], actual)};
  return windows;
}

void check_sizes(const Sequences& data, const SegmentSettings& settings) {
  if (settings.states > data.size()) {
    throw UsageError(fmt::format("--states {}: there are {} points only", settings.states, data.size()));
  }
}

}  // namespace

std::string_view to_string(SegmentMethod method) { return method_names.at(static_cast<std::size_t>(method)); }
std::string_view to_string(Emission emission) { return emission_names.at(static_cast<std::size_t>(emission)); }

std::span<const ParamSpec> segment_params() {
  static constexpr ParamSpec params[] = {
      {.name = "method",
       .doc = "asymp-ihmm: fast, finds the number of states; ihmm-beam: a sampler of the same model, with "
              "probabilities; asymp-hmm and hmm-em: for a number of states that is given",
       .type = ParamSpec::choice,
       .init = "asymp-ihmm",
       .choices = methods},
      {.name = "emission",
       .doc = "what the values are within a state: normal, poisson (counts) or categorical (labels)",
       .type = ParamSpec::choice,
       .init = "normal",
       .choices = emissions},
      {.name = "states",
       .doc = "number of states; asymp-hmm and hmm-em need it",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 10000},
      {.name = "lambda",
       .doc = "penalty of improbable transitions, about twice the variance within a state; auto: chosen by the data",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "lambda1",
       .doc = "asymp-ihmm: penalty of every further state that may follow a state",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "lambda2", .doc = "asymp-ihmm: penalty of every further state", .type = ParamSpec::text, .init = "auto"},
      {.name = "selector",
       .doc = "asymp-ihmm: how penalties are chosen: bic, or the fewest states above one",
       .type = ParamSpec::choice,
       .init = "bic",
       .choices = selectors},
      {.name = "covariance",
       .doc = "hmm-em: one variance for all states, one for each state, or a matrix each",
       .type = ParamSpec::choice,
       .init = "shared",
       .choices = covariances},
      {.name = "restarts",
       .doc = "asymp-hmm, hmm-em: random starts, of which the best counts",
       .type = ParamSpec::integer,
       .init = "10",
       .min = 1,
       .max = 1e6},
      {.name = "warmup",
       .doc = "ihmm-beam: sweeps that are not used",
       .type = ParamSpec::integer,
       .init = "500",
       .min = 0,
       .max = 1e9},
      {.name = "sweeps",
       .doc = "ihmm-beam: sweeps that are used",
       .type = ParamSpec::integer,
       .init = "1000",
       .min = 1,
       .max = 1e9},
      {.name = "standardize",
       .doc = "columns in units of their standard deviations; auto: where there are several",
       .type = ParamSpec::choice,
       .init = "auto",
       .choices = standardizing},
      {.name = "ahead",
       .doc = "steps to forecast behind the end of each sequence",
       .type = ParamSpec::integer,
       .init = "1",
       .min = 0,
       .max = 1e6},
      {.name = "window",
       .doc = "also forecast every point by the so many points before it, and say how well that goes; 0: no",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 1e9},
      seed_param,
      threads_param("threads; 0: one per core. Results do not depend on it"),
  };
  return params;
}

SegmentSettings segment_settings(const Config& config, const Settings& given) {
  SegmentSettings settings;
  settings.method = static_cast<SegmentMethod>(index_of(method_names, config.text("method")));
  settings.emission = static_cast<Emission>(index_of(emission_names, config.text("emission")));
  settings.states = config.integer("states");
  settings.lambda = penalty(config, "lambda");
  settings.lambda1 = penalty(config, "lambda1");
  settings.lambda2 = penalty(config, "lambda2");
  settings.selector = config.text("selector") == "bic" ? Selector::bic : Selector::fewest_states;
  settings.covariance = config.text("covariance") == "full"    ? Covariance::full
                        : config.text("covariance") == "state" ? Covariance::state
                                                               : Covariance::shared;
  settings.restarts = static_cast<int>(config.integer("restarts"));
  settings.warmup = config.integer("warmup");
  settings.sweeps = config.integer("sweeps");
  if (config.text("standardize") != "auto") settings.standardize = config.text("standardize") == "yes";
  settings.ahead = config.integer("ahead");
  settings.window = config.integer("window");
  settings.seed = static_cast<std::uint64_t>(config.integer("seed"));
  settings.threads = static_cast<int>(config.integer("threads"));
  refuse_foreign(settings, given);
  return settings;
}

Segmentation segment(const Sequences& data, const SegmentSettings& settings) {
  const auto began = std::chrono::steady_clock::now();
  check_sizes(data, settings);
  const Rng rng(settings.seed);
  const Units units(data, standardizes(data, settings));
  Segmentation found;
  found.standardized = units.standardized();
  found.model = fit(units.of(data), settings, rng, found);
  renumber(found.model);
  units.back(found.model);
  found.segments = segments_of(data, found.model.states);
  for (Index s = 0; s < data.count(); ++s) found.forecasts.push_back(forecast(found.model, s, settings.ahead));
  if (settings.window > 0) found.windows = forecast_windows(data, settings, rng.child("windows"));
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return found;
}

}  // namespace quasar
