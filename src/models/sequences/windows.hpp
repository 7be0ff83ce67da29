// Forecasts along a sequence: a model of the points before each one says what it will be.
#pragma once

#include <functional>

#include "models/sequences/fitted_hmm.hpp"
#include "models/sequences/penalties.hpp"

namespace quasar {

// before: what was fitted to the window that begins one point earlier, or null.
using WindowFit = std::function<FittedHmm(const Sequences& window, const FittedHmm* before)>;

// The first window is fitted from scratch, every other one from where the window before it ended.
WindowFit make_window_fit(const AsympHmmOptions& options, const Rng& rng);
WindowFit make_window_fit(const AsympIhmmOptions& options);
WindowFit make_window_fit(const HmmEmOptions& options, const Rng& rng);

// Penalties are those that the first window of each sequence asks for; `chosen` is told of them.
WindowFit make_window_fit(const AsympIhmmOptions& options, const PenaltyGrid& grid, Selector selector,
                          std::function<void(const IhmmPenalties&)> chosen = {});

struct RollingForecast {
  std::vector<Index> points;
  Mat predicted, actual;  // a column for every one of them
};

// Each point that has `length` points of its sequence before it, predicted from these.
RollingForecast rolling_forecast(const Sequences& data, Index length, const WindowFit& fit);

}  // namespace quasar
