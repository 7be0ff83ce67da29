#include "models/regression/design.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/blocks.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

Scale column_scale(const Table& table, Index column, const ColumnSummary& summary) {
  if (summary.min == summary.max) {
    throw DataError(
        location(table, column) +
        "every value is the same, so the column cannot be standardised; remove it or set model.standardize=false");
  }
  const double sd = std::sqrt(summary.squares / static_cast<double>(table.rows()));
  if (!std::isfinite(sd) || !(sd > 0))
    throw DataError(location(table, column) + "the values are too extreme to standardise");
  return {summary.mean, sd};
}

}  // namespace

Design::Design(const Table& table, const std::string& target, bool standardize, Response response) {
  if (table.columns() < 2)
    throw DataError(table.source + ": a regression needs a target and at least one predictor column");
  require_rows(table);
  rows_ = table.rows();
  response_column_ = target_column(table, target);
  predictors_ = table.names;
  predictors_.erase(predictors_.begin() + response_column_);
  target_ = table.names[static_cast<std::size_t>(response_column_)];
  set_scales(table, standardize, response);
  if (table.stored) {
    stored_ = table.stored;
  } else {
    take_table(table);
  }
}

void Design::set_scales(const Table& table, bool standardize, Response response) {
  const std::vector<ColumnSummary> summaries = column_summaries(table);
  const auto scale_of = [&](Index column) {
    return standardize ? column_scale(table, column, summaries[static_cast<std::size_t>(column)]) : Scale{};
  };
  means_.resize(table.columns() - 1);
  deviations_.resize(table.columns() - 1);
  for (Index j = 0; j < means_.size(); ++j) {
    const Scale scale = scale_of(j < response_column_ ? j : j + 1);
    means_[j] = scale.mean;
    deviations_[j] = scale.sd;
  }
  if (response == Response::standardized) {
    response_ = scale_of(response_column_);
  } else {
    require_binary(table, response_column_, summaries[static_cast<std::size_t>(response_column_)]);
  }
}

void Design::take_table(const Table& table) {
  std::vector<double> values(static_cast<std::size_t>(block_rows * table.columns()));
  x_.resize(rows_, coefficients());
  y_.resize(rows_);
  each_block(0, rows_, [&](Index begin, Index count) {
    read_rows(table, begin, count, values.data());
    const auto read = std::span(values).first(static_cast<std::size_t>(count * table.columns()));
    take_rows(read, x_.middleRows(begin, count), y_.segment(begin, count));
  });
}

// The one place where values are standardised: rows from memory and from files have the same bits.
void Design::take_rows(std::span<const double> values, Eigen::Ref<Matrix> x, Out y) const {
  const Index columns = coefficients();  // the target for the intercept
  for (Index i = 0; !values.empty(); ++i, values = values.subspan(static_cast<std::size_t>(columns))) {
    const double* from = values.data();
    double* to = &x(i, 0);
    to[0] = 1;
    for (Index j = 0; j < response_column_; ++j) to[j + 1] = (from[j] - means_[j]) / deviations_[j];
    for (Index j = response_column_; j < columns - 1; ++j) to[j + 1] = (from[j + 1] - means_[j]) / deviations_[j];
    y[i] = (from[response_column_] - response_.mean) / response_.sd;
  }
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
