#include "io/predictions_csv.hpp"

#include <cmath>

#include "io/quoted_field.hpp"

namespace quasar {

PredictionsCsv::PredictionsCsv(const Predictor& predictor, const RowNames& names, double interval, TextOutput& out)
    : predictor_(predictor), names_(names), out_(out) {
  out.write("row");
  for (const LabelColumn& column : names.labels) out.print(",{}", quoted_field(column.name));
  if (!predictor.observed().empty()) out.write(",observed");
  if (predictor.classes().empty()) {
    const double tail = 50 * (1 - interval);
    out.print(",mean,sd,q{:g},q50,q{:g}\n", tail, 100 - tail);
    return;
  }
  out.write(",predicted");
  for (const char* column : {"probability", "sd"}) {
    for (const std::string& label : predictor.classes()) {
      out.print(",{}", quoted_field(fmt::format("{}[{}]", column, label)));
    }
  }
  out.write("\n");
}

void PredictionsCsv::add(const PredictedBlock& block) {
  const auto classes = predictor_.classes();
  const auto observed = predictor_.observed();
  for (Index i = 0; i < block.mean.rows(); ++i) {
    out_.print("{}", names_.number(block.begin + i));
    for (const LabelColumn& column : names_.labels) {
      out_.print(",{}", quoted_field(column.labels[static_cast<std::size_t>(block.begin + i)]));
    }
    if (!observed.empty()) {
      const double response = observed[static_cast<std::size_t>(block.begin + i)];
      if (std::isnan(response)) {
        out_.write(",");
      } else if (classes.empty()) {
        add_number(response);
      } else {
        out_.print(",{}", quoted_field(classes[static_cast<std::size_t>(response)]));
      }
    }
    if (classes.empty()) {
      add_number_columns(block, i);
    } else {
      add_class_columns(block, i);
    }
    out_.write("\n");
  }
}

void PredictionsCsv::add_class_columns(const PredictedBlock& block, Index row) {
  Index best = 0;
  const auto probabilities = block.mean.row(row);
  probabilities.maxCoeff(&best);
  const std::string& label = predictor_.classes()[static_cast<std::size_t>(best)];
  out_.print(",{}", probabilities.hasNaN() ? "" : quoted_field(label));
  for (const Mat* columns : {&block.mean, &block.sd}) {
    for (Index k = 0; k < columns->cols(); ++k) add_number((*columns)(row, k));
  }
}

void PredictionsCsv::add_number_columns(const PredictedBlock& block, Index row) {
  add_number(block.mean(row, 0));
  add_number(block.sd(row, 0));
  for (Index k = 0; k < block.quantiles.cols(); ++k) add_number(block.quantiles(row, k));
}

void PredictionsCsv::add_number(double number) {
  out_.write(",");
  out_.write_number(number);
}

}  // namespace quasar
