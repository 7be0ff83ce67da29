// Which regimes a series goes through, where they change and what comes next: the methods of models/sequences behind
// one door.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quasar/config.hpp>

#include "models/sequences/fitted_hmm.hpp"
#include "models/sequences/penalties.hpp"
#include "models/sequences/windows.hpp"

namespace quasar {

enum class SegmentMethod { asymp_ihmm, asymp_hmm, hmm_em, ihmm_beam };

struct SegmentSettings {
  SegmentMethod method = SegmentMethod::asymp_ihmm;
  Emission emission = Emission::normal;
  Index states = 0;                                // 0: not given
  std::optional<double> lambda, lambda1, lambda2;  // none: chosen by the data
  Selector selector = Selector::bic;
  Covariance covariance = Covariance::shared;
  int restarts = 10;
  Index warmup = 500, sweeps = 1000;  // of the beam sampler
  std::optional<bool> standardize;    // none: where there are several columns
  Index ahead = 1;                    // steps to forecast
  Index window = 0;                   // points of a sliding window; 0: none
  std::uint64_t seed = 1;
  int threads = 0;
};

std::span<const ParamSpec> segment_params();

// given: what was asked for, of which nothing may be foreign to the method. UsageError
SegmentSettings segment_settings(const Config& config, const Settings& given);

struct Segment {  // points in one state without a break
  Index sequence, first, last;
  int state;
};

// How good a forecast of the next point is, column by column.
struct ForecastError {
  std::string name;  // "model", "last value", "window mean"
  Vec mape, rmse;    // mape in per cent, of the points that are not 0
};

struct WindowForecasts {
  RollingForecast forecasts;
  std::vector<ForecastError> errors;
  std::optional<IhmmPenalties> penalties;  // of the asymp-iHMM: chosen by the first window
};

// In the units of the data. States are numbered in the order of their first points; those without any come last.
struct Segmentation {
  FittedHmm model;
  std::vector<Segment> segments;
  std::vector<Forecast> forecasts;  // of each sequence
  std::optional<double> lambda;     // of asymp-hmm
  std::optional<IhmmPenalties> penalties;
  std::vector<TriedPenalties> tried;     // of asymp-ihmm, where penalties were chosen
  std::optional<double> log_likelihood;  // of hmm-em
  std::optional<double> objective;       // J, of the others that have one
  bool converged = true;
  bool standardized = false;  // penalties are in units of the columns' standard deviations
  Vec states_probability;     // of ihmm-beam: element k, of k + 1 states
  Vec change_probability;     // likewise: of every point
  std::optional<WindowForecasts> windows;
  double seconds = 0;

  Index states() const { return model.centres.cols(); }
};

// UsageError: the settings do not fit the data
Segmentation segment(const Sequences& data, const SegmentSettings& settings);

std::string_view to_string(SegmentMethod method);
std::string_view to_string(Emission emission);

}  // namespace quasar
