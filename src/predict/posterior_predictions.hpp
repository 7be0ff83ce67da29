// The predictive law of rows by the draws of a run: p(y | data) = mean over draws d of p(y | d).
#pragma once

#include <cstdint>
#include <functional>

#include <quasar/predict.hpp>
#include <quasar/run_data.hpp>
#include <quasar/scores.hpp>

namespace quasar {

struct PredictionSettings {
  double interval = 0.9;   // the level of the central interval of numbers
  Index most_draws = 0;    // of all chains together, evenly spread; 0: all
  std::uint64_t seed = 1;  // of replicates, and of the effects of groups that were never seen
  int threads = 0;         // 0: one per core. Predictions do not depend on it
};

struct PredictedBlock {  // consecutive rows
  Index begin = 0;
  Mat mean, sd;   // as RowAverages: a column for each class, or one
  Mat quantiles;  // of numbers: lower end, median, upper end of a replicate for each draw; of classes empty
};

struct PredictionSummary {
  Index draws = 0;                             // that were used
  Scores scores;                               // of no rows: the responses are not known
  Index not_finite = 0, first_not_finite = 0;  // rows whose prediction is infinite or NaN, and the first of them
};

// use(block) in the order of the rows. Memory stays within a quarter of a gigabyte beside the rows themselves and a few
// draws, as long as the replicates of one row do: rows are taken so many at a time, and each time the draws are read
// once more.
PredictionSummary predict(const DrawSource& draws, Index values, const Predictor& rows,
                          const PredictionSettings& settings, const std::function<void(const PredictedBlock&)>& use);

}  // namespace quasar
