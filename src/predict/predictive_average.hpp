// Predictions for held-out rows while sampling: every draw adds to the average and is not kept.
#pragma once

#include <memory>
#include <span>

#include <quasar/predict.hpp>
#include <quasar/scores.hpp>

#include "predict/row_averages.hpp"

namespace quasar {

class PredictiveAverage {
 public:
  explicit PredictiveAverage(std::unique_ptr<Predictor> predictor);  // its rows must have been observed

  void add(std::span<const double> draw, const Rng& rng);  // draw: all values of the model's layout
  void merge(const PredictiveAverage& other) { averages_.merge(other.averages_); }

  std::int64_t draws() const { return averages_.draws(); }
  Scores scores() const;  // of the average so far
  Scores last() const;    // of the draw that was added last, alone
  const RowAverages& rows() const { return averages_; }
  const Predictor& predictor() const { return *predictor_; }

  static void fields(auto& self, auto&& visit) { visit("averages", self.averages_); }

 private:
  std::unique_ptr<Predictor> predictor_;
  RowAverages averages_;
  RowPredictions last_;
};

}  // namespace quasar
