#include "models/regression/design.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "models/regression/columns.hpp"

namespace quasar {

namespace {

Scale column_scale(const Table& table, Index column) {
  const auto values = table.values.col(column);
  if (values.minCoeff() == values.maxCoeff()) {
    throw DataError(
        location(table, column) +
        "every value is the same, so the column cannot be standardised; remove it or set model.standardize=false");
  }
  const double mean = values.mean();
  const double sd = std::sqrt((values.array() - mean).square().mean());
  if (!std::isfinite(sd) || !(sd > 0))
    throw DataError(location(table, column) + "the values are too extreme to standardise");
  return {mean, sd};
}

}  // namespace

Design::Design(const Table& table, const std::string& target, bool standardize, Response response) {
  if (table.columns() < 2)
    throw DataError(table.source + ": a regression needs a target and at least one predictor column");
  require_rows(table);
  const Index response_column = target_column(table, target);
  const Index count = table.columns() - 1;
  target_ = table.names[static_cast<std::size_t>(response_column)];
  x_.resize(table.rows(), 1 + count);
  x_.col(0).setOnes();
  means_ = Vec::Zero(count);
  deviations_ = Vec::Ones(count);
  for (Index column = 0, j = 0; column < table.columns(); ++column) {
    if (column == response_column) continue;
    const Scale scale = standardize ? column_scale(table, column) : Scale{};
    predictors_.push_back(table.names[static_cast<std::size_t>(column)]);
    means_[j] = scale.mean;
    deviations_[j] = scale.sd;
    x_.col(++j) = (table.values.col(column).array() - scale.mean) / scale.sd;
  }
  if (standardize && response == Response::standardized) response_ = column_scale(table, response_column);
  y_ = (table.values.col(response_column).array() - response_.mean) / response_.sd;
}

Layout Design::layout() const {
  const auto count = static_cast<Index>(predictors_.size());
  return {{{"intercept", {}, {}}, {"beta", {count}, {"predictor"}}}, {{"predictor", predictors_}}};
}

ConstantData Design::constant_data() const {
  const auto count = static_cast<Index>(predictors_.size());
  ConstantData kept;
  kept.layout = {{{"predictor_mean", {count}, {"predictor"}},
                  {"predictor_sd", {count}, {"predictor"}},
                  {"target_mean", {}, {}},
                  {"target_sd", {}, {}}},
                 {{"predictor", predictors_}}};
  kept.values.resize(kept.layout.size());
  kept.values << means_, deviations_, response_.mean, response_.sd;
  kept.attributes = {{"target", target_}};
  return kept;
}

// y = m + s (b_0 + sum_j b_j (x_j - m_j) / s_j), read as a linear function of the original x_j.
void Design::to_original(In standardized, Out original) const {
  const Index count = means_.size();
  auto beta = original.tail(count);
  beta = response_.sd * standardized.tail(count).cwiseQuotient(deviations_);
  original[0] = response_.mean + response_.sd * standardized[0] - beta.dot(means_);
}

void Design::to_standardized(In original, Out standardized) const {
  const Index count = means_.size();
  const auto beta = original.tail(count);
  standardized[0] = (original[0] + beta.dot(means_) - response_.mean) / response_.sd;
  standardized.tail(count) = beta.cwiseProduct(deviations_) / response_.sd;
}

double normal_prior(In coefficients, double sd, Out grad) {
  grad = -coefficients / (sd * sd);
  return 0.5 * coefficients.dot(grad);
}

}  // namespace quasar
