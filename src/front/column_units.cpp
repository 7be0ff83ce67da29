#include "front/column_units.hpp"

#include <cmath>

namespace quasar {

ColumnUnits::ColumnUnits(const Sequences& data, bool standardize)
    : mean_(Vec::Zero(data.dim())), sd_(Vec::Ones(data.dim())), standardized_(standardize) {
  for (Index row = 0; standardize && row < data.dim(); ++row) {
    double n = 0, sum = 0, squares = 0;
    for (const double x : data.values.row(row)) {
      if (std::isnan(x)) continue;
      n += 1;
      sum += x;
    }
    if (n > 0) mean_[row] = sum / n;
    for (const double x : data.values.row(row)) {
      if (!std::isnan(x)) squares += (x - mean_[row]) * (x - mean_[row]);
    }
    if (squares > 0) sd_[row] = std::sqrt(squares / n);
  }
}

Sequences ColumnUnits::of(const Sequences& data) const {
  if (!standardized_) return data;
  return {((data.values.colwise() - mean_).array().colwise() / sd_.array()).matrix(), data.starts};
}

Mat ColumnUnits::back(const Mat& values) const { return distances_back(values).colwise() + mean_; }

Mat ColumnUnits::distances_back(const Mat& values) const { return values.array().colwise() * sd_.array(); }

void ColumnUnits::back(FittedHmm& model) const {
  if (!standardized_) return;
  model.centres = back(model.centres);
  model.variances = distances_back(distances_back(model.variances));
}

// p(x) = p(x / s) / s for every value.
double ColumnUnits::log_likelihood_back(double log_likelihood, const Sequences& data) const {
  for (Index row = 0; row < data.dim(); ++row) {
    log_likelihood -= static_cast<double>((!data.values.row(row).array().isNaN()).count()) * std::log(sd_[row]);
  }
  return log_likelihood;
}

}  // namespace quasar
