#include "front/segment_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "front/column_units.hpp"
#include "front/segment_fit.hpp"

namespace quasar {
namespace {

Sequences first_window(const Sequences& data, Index length) {
  Index longest = 0;
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], size = data.end(s) - begin;
    if (size > length) return {data.values.middleCols(begin, length)};
    longest = std::max(longest, size);
  }
  throw UsageError(fmt::format("--window {}: the longest sequence has {} points, and one behind the window is needed",
                               length, longest));
}

WindowFit window_fit(const Sequences& first, const SegmentSettings& settings, const Rng& rng,
                     WindowForecasts& windows) {
  switch (settings.method) {
    case SegmentMethod::asymp_ihmm:
      return make_window_fit(ihmm_options(settings), grid_of(first, settings), settings.selector,
                             [&windows](const IhmmPenalties& chosen) {
                               if (!windows.penalties) windows.penalties = chosen;
                             });
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

}  // namespace

WindowForecasts forecast_windows(const Sequences& data, const SegmentSettings& settings, const Rng& rng) {
  // Units and the grid are those of the first window: a forecast knows nothing of what comes later.
  const Sequences first = first_window(data, settings.window);
  const ColumnUnits units(first, standardizes(data, settings));
  WindowForecasts windows;
  const WindowFit fit_one = window_fit(units.of(first), settings, rng, windows);
  windows.forecasts = rolling_forecast(units.of(data), settings.window, fit_one);
  const auto trivial = trivial_forecasts(data, settings.window, windows.forecasts.points);
  const Mat predicted = units.back(windows.forecasts.predicted);
  // Of a column without a value in the window nobody knows anything.
  windows.forecasts.predicted = trivial[0].array().isNaN().select(trivial[0], predicted);
  windows.forecasts.actual = data.values(Eigen::all, windows.forecasts.points);  // 0 is 0, whatever the units
  const Mat& actual = windows.forecasts.actual;
  windows.errors = {error_of("model", windows.forecasts.predicted, actual), error_of("last value", trivial[0], actual),
                    error_of("window mean", trivial[1], actual)};
  return windows;
}

}  // namespace quasar
