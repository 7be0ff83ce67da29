// Looking ahead: forecasts against all ways the states can go, and windows that move along a sequence. No statistics.
#include "models/sequences/windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

FittedHmm three_states() {
  return {{0, 1, 2},
          test::three_centres(),
          (Mat(1, 3) << 0.5, 1, 2).finished(),
          test::three_rows(),
          (Mat(3, 2) << 0, .2, 1, .5, 0, .3).finished()};
}

TEST(Forecast, IsThatOfAllWaysTheStatesCanGo) {
  const FittedHmm model = three_states();
  for (const Index sequence : {0, 1}) {
    const Forecast ahead = forecast(model, sequence, 4);
    for (Index h = 1; h <= 4; ++h) {
      double mean = 0, square = 0;
      test::for_each_path(h + 1, 3, [&](const Path& path) {
        double p = model.last(path[0], sequence);
        for (std::size_t t = 1; t < path.size(); ++t) p *= model.transition(path[t - 1], path[t]);
        const double centre = model.centres(0, path.back());
        mean += p * centre;
        square += p * (model.variances(0, path.back()) + centre * centre);
      });
      EXPECT_NEAR(ahead.mean(0, h - 1), mean, 1e-12);
      EXPECT_NEAR(ahead.sd(0, h - 1), std::sqrt(square - mean * mean), 1e-12);
    }
  }
  EXPECT_NEAR(forecast(model, 0, 1).mean(0, 0), 3.3, 1e-12);
}

TEST(Forecast, SpreadsAsMuchFarFromZero) {
  FittedHmm model = three_states();
  const Mat sd = forecast(model, 1, 4).sd;
  model.centres.array() += 1e9;
  EXPECT_TRUE(forecast(model, 1, 4).sd.isApprox(sd, 1e-6));  // centres are known to 1e-7 there
}

TEST(Forecast, AStateThatNothingLeavesStays) {
  const Sequences data{(Mat(1, 4) << 0, 0.2, 5, 5.2).finished(), {0, 2}};
  AsympIhmmOptions options;
  options.penalties = {0.1, 0.1, 0.1};
  const FittedHmm model = fitted(data, options, fit_asymp_ihmm(data, options, {0, 0, 1, 2}));
  const Index last = model.states.back();
  EXPECT_NEAR(forecast(model, 1, 3).mean(0, 2), model.centres(0, last), 1e-12);
}

TEST(FittedHmm, AValueThatAStateHasNoPointOfIsTheMiddleOfAll) {
  Sequences data{(Mat(2, 4) << 0, 0, 9, 9, 2, 2, test::missing, test::missing).finished()};
  AsympIhmmOptions options;
  IhmmFit fit;
  fit.states = {0, 0, 1, 1};
  fit.stats = stats_of(Emission::normal, data, fit.states);
  EXPECT_TRUE(fitted(data, options, fit).centres.isApprox((Mat(2, 2) << 0, 9, 2, 2).finished(), 1e-14));
}

// Two states so near to each other that the path cuts both short.
TEST(FittedHmm, HasTheVariancesOfTheModelNotOfThePath) {
  Sequences data{Mat(2, 400)};
  Stream draws = Rng(80).stream("two states");
  for (Index t = 0; t < 400; ++t) data.values.col(t).setConstant(static_cast<double>(t / 20 % 2));
  for (double& x : data.values.reshaped()) x += draws.normal();
  for (const StateCovariance covariance : {StateCovariance::shared, StateCovariance::state, StateCovariance::full}) {
    HmmEmOptions options;
    options.covariance = covariance;
    const HmmEmFit fit = fit_hmm_em(data, options, Rng(1));
    const Mat variances = fitted(data, options, fit).variances;
    for (Index k = 0; k < 2; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Vec own = covariance == StateCovariance::full
                          ? Vec(fit.model.covariances[at].diagonal())
                          : Vec::Constant(2, fit.model.variances[covariance == StateCovariance::shared ? 0 : k]);
      EXPECT_EQ(variances.col(k), own);
    }
  }
}

TEST(RollingForecast, PredictsFromTheWindowBeforeAndHandsOnWhatItFitted) {
  Sequences data{Mat(1, 9), {0, 5}};
  for (Index t = 0; t < 9; ++t) data.values(0, t) = static_cast<double>(t);
  std::vector<double> firsts;
  std::vector<bool> fresh;
  const auto last_value = [&](const Sequences& window, const FittedHmm* before) {
    EXPECT_EQ(window.size(), 3);
    firsts.push_back(window.values(0, 0));
    fresh.push_back(before == nullptr);
    EXPECT_TRUE(!before || before->centres(0, 0) == window.values(0, 1));  // the last value of the window before
    return FittedHmm{{0, 0, 0}, window.values.rightCols(1), Mat::Zero(1, 1), Mat::Ones(1, 1), Mat::Ones(1, 1)};
  };
  const RollingForecast rolled = rolling_forecast(data, 3, last_value);
  EXPECT_EQ(rolled.points, (std::vector<Index>{3, 4, 8}));
  EXPECT_EQ(firsts, (std::vector<double>{0, 1, 5}));
  EXPECT_EQ(fresh, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(rolled.predicted, (Mat(1, 3) << 2, 3, 7).finished());
  EXPECT_EQ(rolled.actual, (Mat(1, 3) << 3, 4, 8).finished());
  EXPECT_EQ(rolling_forecast(data, 5, last_value).points.size(), 0);
  EXPECT_EQ(test::error_message<UsageError>([&] { rolling_forecast(data, 0, last_value); }),
            "a window has at least one point");
}

// 0, 4, 8, 0, 4, 8, ... and a little noise: a model that has found the three states knows what comes next.
Sequences cycle() {
  Sequences data{Mat(1, 80)};
  Stream draws = Rng(79).stream("cycle");
  for (Index t = 0; t < 80; ++t) data.values(0, t) = 4 * static_cast<double>(t % 3) + 0.1 * draws.normal();
  return data;
}

TEST(RollingForecast, EveryMethodLearnsACycleFromItsWindowsAndKeepsIt) {
  const Sequences data = cycle();
  AsympHmmOptions hmm;
  hmm.states = 3;
  HmmEmOptions em;
  em.states = 3;
  AsympIhmmOptions ihmm;
  ihmm.penalties = {0.5, 0.5, 2};
  for (const WindowFit& fit : {make_window_fit(hmm, Rng(1)), make_window_fit(em, Rng(1)), make_window_fit(ihmm),
                               make_window_fit(ihmm, default_grid(data, Emission::normal), Selector::bic)}) {
    const RollingForecast rolled = rolling_forecast(data, 40, fit);
    EXPECT_EQ(rolled.points.size(), 40);
    EXPECT_LT((rolled.predicted - rolled.actual).cwiseAbs().maxCoeff(), 0.5);
  }
}

TEST(WindowFit, TellsThePenaltiesThatTheFirstWindowOfEachSequenceAskedFor) {
  Sequences data = cycle();
  data.starts = {0, 40};
  const PenaltyGrid grid = default_grid(data, Emission::normal);
  std::vector<IhmmPenalties> told;
  const WindowFit fit = make_window_fit({}, grid, Selector::bic, [&](const IhmmPenalties& p) { told.push_back(p); });
  rolling_forecast(data, 36, fit);
  ASSERT_EQ(told.size(), 2);
  for (const std::size_t s : {0U, 1U}) {
    const Sequences first{data.values.middleCols(data.starts[s], 36)};
    EXPECT_EQ(told[s].lambda, select_penalties(first, {}, grid, Selector::bic).penalties.lambda);
  }
}

TEST(WindowFit, StartsFromThePathBeforeMovedByOne) {
  const Sequences data = cycle();
  AsympIhmmOptions options;
  options.penalties = {0.5, 0.5, 2};
  options.most_iterations = 0;  // what is returned is the start
  const WindowFit fit = make_window_fit(options);
  FittedHmm before = three_states();
  before.states = {0, 1, 2, 0};
  before.centres << 0, 4, 8;
  const Sequences window{data.values.middleCols(1, 4)};
  EXPECT_EQ(fit(window, &before).states, (Path{0, 1, 2, 0}));  // 1, 2, 0 and the nearest of 4, in order of appearance
}

TEST(WindowFit, ACountAfterNothingButZerosIsNoSurprise) {
  Sequences data{Mat::Zero(1, 30)};
  for (const Index t : {2, 5, 18, 19, 24}) data.values(0, t) = 3;
  AsympHmmOptions hmm;
  HmmEmOptions em;
  hmm.emission = em.emission = Emission::poisson;
  hmm.states = em.states = 2;
  for (const WindowFit& fit : {make_window_fit(hmm, Rng(1)), make_window_fit(em, Rng(1))}) {
    EXPECT_TRUE(rolling_forecast(data, 8, fit).predicted.allFinite());
  }
}

TEST(WindowFit, ATransitionThatWasNeverSeenCanStillCome) {
  // The last window of two levels in turn, then one that stays.
  Sequences data{Mat(1, 24)};
  for (Index t = 0; t < 24; ++t)
    data.values(0, t) = t < 12 ? 5.0 * static_cast<double>(t % 2) : 5.0 + 0.1 * static_cast<double>(t % 2);
  AsympHmmOptions hmm;
  hmm.states = 2;
  hmm.smoothing = 0;
  HmmEmOptions em;
  em.states = 2;
  for (const WindowFit& fit : {make_window_fit(hmm, Rng(2)), make_window_fit(em, Rng(2))}) {
    const RollingForecast rolled = rolling_forecast(data, 10, fit);
    EXPECT_TRUE(rolled.predicted.allFinite());
    EXPECT_NEAR(rolled.predicted(0, 13), 5, 0.2);  // all ten points of the window stay
  }
}

}  // namespace
}  // namespace quasar
