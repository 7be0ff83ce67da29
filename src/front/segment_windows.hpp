// How well a method forecasts the next point of a series, beside forecasts that need no model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

#include "front/segment_settings.hpp"
#include "models/sequences/windows.hpp"

namespace quasar {

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

// UsageError: no sequence is longer than the window
WindowForecasts forecast_windows(const Sequences& data, const SegmentSettings& settings, const Rng& rng);

}  // namespace quasar
