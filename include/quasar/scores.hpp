// quasar/scores.hpp -- how good predictions are, judged by what was observed.
//
// With p_i the predictive law of row i, averaged over draws, and y_i what was observed:
//
//   log score           (1/n) sum_i log p_i(y_i): of probabilities or of densities; higher is better
//   accuracy, error     share of rows whose most probable class was, or was not, observed
//   Brier score         (1/n) sum_i sum_k (p_i(k) - [y_i = k])^2, between 0 and 2         Brier, Mon. Weather Rev. 1950
//   calibration error   sum_b (n_b/n) |accuracy in b - mean top probability in b| over 15 equal bins b of the top
//                       probability                           Naeini et al., AAAI 2015; Guo et al., ICML 2017
//   RMSE, MAE           of the predictive mean
//   coverage            share of rows inside the central interval of their predictive law; the best is its level, or
//                       more where the law is discrete: an interval of whole numbers has its ends inside
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include <quasar/core.hpp>

namespace quasar {

// What the predictions cannot be judged by is NaN: classes have no RMSE, numbers no accuracy, fewer than 20 draws no
// interval of level 0.9. Where a prediction is NaN, so that it is neither right nor wrong, there are no scores at all.
struct Scores {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  Index rows = 0;         // whose response is known
  Index unpredicted = 0;  // of them: their prediction is NaN
  double log_score = none;
  double accuracy = none, error = none, brier = none, calibration_error = none;
  double rmse = none, mae = none, coverage_50 = none, coverage_90 = none;

  static void fields(auto& self, auto&& visit) {  // all but the numbers of rows
    visit("log_score", self.log_score);
    visit("accuracy", self.accuracy);
    visit("error", self.error);
    visit("brier", self.brier);
    visit("calibration_error", self.calibration_error);
    visit("rmse", self.rmse);
    visit("mae", self.mae);
    visit("coverage_50", self.coverage_50);
    visit("coverage_90", self.coverage_90);
  }
};

// use(name, value) for every score that there is.
template <class Use>
void for_each_score(const Scores& scores, Use&& use) {
  Scores::fields(scores, [&](std::string_view name, double value) {
    if (!std::isnan(value)) use(name, value);
  });
}

}  // namespace quasar
