#include "front/segment.hpp"

#include <fmt/format.h>

#include <chrono>

#include <quasar/errors.hpp>

#include "front/column_units.hpp"
#include "front/segment_fit.hpp"

namespace quasar {
namespace {

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

void check_sizes(const Sequences& data, const SegmentSettings& settings) {
  if (settings.states > data.size()) {
    throw UsageError(fmt::format("--states {}: there are {} points only", settings.states, data.size()));
  }
}

}  // namespace

Segmentation segment(const Sequences& data, const SegmentSettings& settings, std::span<ChainProgress> progress) {
  const auto began = std::chrono::steady_clock::now();
  check_sizes(data, settings);
  const Rng rng(settings.seed);
  const ColumnUnits units(data, standardizes(data, settings));
  Segmentation found;
  found.standardized = units.standardized();
  found.model = fit_segments(units.of(data), settings, rng, found, progress);
  renumber(found.model);
  units.back(found.model);
  if (found.log_likelihood) found.log_likelihood = units.log_likelihood_back(*found.log_likelihood, data);
  found.segments = segments_of(data, found.model.states);
  for (Forecast& ahead : found.forecasts) ahead = {units.back(ahead.mean), units.distances_back(ahead.sd)};
  for (Index s = std::ssize(found.forecasts); s < data.count(); ++s) {
    found.forecasts.push_back(forecast(found.model, s, settings.ahead));
  }
  if (settings.window > 0) found.windows = forecast_windows(data, settings, rng.child("windows"));
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return found;
}

}  // namespace quasar
