#include "models/sequences/windows.hpp"

#include <utility>

#include <quasar/errors.hpp>

#include "models/sequences/starts.hpp"

namespace quasar {
namespace {

// What was not seen in one window may be seen in the next, a transition, a count above 0: from a probability of 0
// nothing comes back.
constexpr double forgotten = 0.01;

Mat softened(const Mat& transition) {
  return (1 - forgotten) * transition.array() + forgotten / static_cast<double>(transition.cols());
}

Mat softened(Emission emission, const Mat& centres, const Sequences& window) {
  return inside(emission, centres, middle_of(emission, window), forgotten);
}

int nearest_state(Emission emission, In point, const Mat& centres) {
  Index nearest = 0;
  Vec far(centres.cols());
  for (Index k = 0; k < centres.cols(); ++k) far[k] = divergence(emission, point, centres.col(k));
  far.minCoeff(&nearest);
  return static_cast<int>(nearest);
}

Path moved_on(Emission emission, const FittedHmm& before, const Sequences& window) {
  Path path(before.states.begin() + 1, before.states.end());
  path.push_back(nearest_state(emission, window.values.col(window.size() - 1), before.centres));
  return path;
}

}  // namespace

WindowFit make_window_fit(const AsympHmmOptions& options, const Rng& rng) {
  return [options, rng](const Sequences& window, const FittedHmm* before) {
    return fitted(window, options,
                  before ? fit_asymp_hmm(window, options, softened(options.emission, before->centres, window),
                                         softened(before->transition))
                         : fit_asymp_hmm(window, options, rng));
  };
}

WindowFit make_window_fit(const AsympIhmmOptions& options) {
  return [options](const Sequences& window, const FittedHmm* before) {
    return fitted(window, options,
                  before ? fit_asymp_ihmm(window, options, moved_on(options.emission, *before, window))
                         : fit_asymp_ihmm(window, options));
  };
}

WindowFit make_window_fit(const AsympIhmmOptions& options, const PenaltyGrid& grid, Selector selector,
                          std::function<void(const IhmmPenalties&)> chosen) {
  return [own = options, grid, selector, chosen = std::move(chosen)](const Sequences& window,
                                                                     const FittedHmm* before) mutable {
    if (before) return make_window_fit(own)(window, before);
    const SelectedFit selected = select_penalties(window, own, grid, selector);
    own.penalties = selected.penalties;
    if (chosen) chosen(own.penalties);
    return fitted(window, own, selected.fit);
  };
}

WindowFit make_window_fit(const HmmEmOptions& options, const Rng& rng) {
  return [options, rng, model = HmmModel()](const Sequences& window, const FittedHmm* before) mutable {
    if (before) {
      model.initial.setConstant(1 / static_cast<double>(model.initial.size()));
      model.transition = softened(model.transition);
      model.centres = softened(options.emission, model.centres, window);
    }
    const HmmEmFit fit = before ? fit_hmm_em(window, options, model) : fit_hmm_em(window, options, rng);
    model = fit.model;
    return fitted(window, options, fit);
  };
}

RollingForecast rolling_forecast(const Sequences& data, Index length, const WindowFit& fit) {
  if (length < 1) throw UsageError("a window has at least one point");
  RollingForecast all;
  for (Index s = 0; s < data.count(); ++s) {
    for (Index t = data.starts[static_cast<std::size_t>(s)] + length; t < data.end(s); ++t) all.points.push_back(t);
  }
  const Index count = std::ssize(all.points);
  all.predicted.resize(data.dim(), count);
  all.actual.resize(data.dim(), count);
  FittedHmm before;
  for (Index i = 0; i < count; ++i) {
    const Index t = all.points[static_cast<std::size_t>(i)];
    const bool follows = i > 0 && all.points[static_cast<std::size_t>(i - 1)] == t - 1;
    before = fit({data.values.middleCols(t - length, length)}, follows ? &before : nullptr);
    all.predicted.col(i) = forecast(before, 0, 1).mean;
    all.actual.col(i) = data.values.col(t);
  }
  return all;
}

}  // namespace quasar
