// Predictions as a table, one row for each that was predicted: row (of the source, from 1), labels that tell what it is
// about, observed (empty where it is not known; no column where it never is), then
//
//   numbers     mean, sd, q5, q50, q95: of the predictive law
//               the quantiles are the ends of the interval and the median
//   classes     predicted: the most probable, empty where no probability is a number
//               probability[label] of each, and sd[label]: of that over the draws
#pragma once

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

struct RowNames {                        // what tells rows apart
  std::vector<Index> numbers = {};       // as Table has them: not all rows of the source need be predicted
  std::vector<LabelColumn> labels = {};  // of the user and the item of each row, where it is a pair of them

  Index number(Index row) const { return numbers.empty() ? row + 1 : numbers[static_cast<std::size_t>(row)]; }
};

class PredictionsCsv {
 public:
  // Writes the header.
  PredictionsCsv(const Predictor& predictor, const RowNames& names, double interval, TextOutput& out);
  void add(const PredictedBlock& block);

 private:
  void add_class_columns(const PredictedBlock& block, Index row);
  void add_number_columns(const PredictedBlock& block, Index row);
  void add_number(double number);

  const Predictor& predictor_;
  const RowNames& names_;
  TextOutput& out_;
};

}  // namespace quasar
