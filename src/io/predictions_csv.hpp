// Predictions as a table, one row for each that was predicted: row (from 1), labels that tell what it is about,
// observed (empty where it is not known; no column where it never is), then
//
//   numbers     mean, sd, q5, q50, q95: of the predictive law
//               the quantiles are the ends of the interval and the median
//   classes     predicted: the most probable, empty where no probability is a number
//               probability[label] of each, and sd[label]: of that over the draws
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/predict.hpp>

#include "io/text_output.hpp"
#include "predict/posterior_predictions.hpp"

namespace quasar {

struct LabelColumn {
  std::string name;
  std::vector<std::string> labels;  // of each row
};

class PredictionsCsv {
 public:
  // Writes the header.
  PredictionsCsv(const Predictor& predictor, std::span<const LabelColumn> labels, double interval, TextOutput& out);
  void add(const PredictedBlock& block);

 private:
  void add_class_columns(const PredictedBlock& block, Index row);
  void add_number_columns(const PredictedBlock& block, Index row);
  void add_number(double number);

  const Predictor& predictor_;
  std::span<const LabelColumn> labels_;
  TextOutput& out_;
};

}  // namespace quasar
