#include "models/regression/design.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/blocks.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/level_combinations.hpp"

namespace quasar {

namespace {

// The values of one variable of what was kept.
Vec kept_values(const ConstantData& kept, const std::string& name, Index size) {
  Index begin = 0;
  for (const Variable& variable : kept.layout.variables) {
    if (variable.name == name && variable.size() == size && begin + size <= kept.values.size()) {
      Vec values = kept.values.segment(begin, size);
      if (values.allFinite()) return values;
      break;
    }
    begin += variable.size();
  }
  throw DataError(fmt::format("the run keeps no {}, or one that does not fit its columns", name));
}

Index column_or_none(const Table& table, const std::string& name) {
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  return found == table.names.end() ? -1 : found - table.names.begin();
}

}  // namespace

Design::Design(const Table& table, const DesignSettings& settings, Response response)
    : formula_(make_formula(table, settings, response)), features_(formula_, table) {
  find_labels(table);
  const bool standardized = response == Response::number;
  const FeatureScales scales = feature_scales(table, features_, settings, standardized ? response_column_ : -1);
  means_ = scales.means;
  deviations_ = scales.deviations;
  response_ = scales.response;
  take_table(table);
}

Design::Design(const ConstantData& kept, const Table& rows)
    : formula_(Formula::kept_in(kept)), features_(formula_, rows) {
  require_rows(rows, formula_.target.name);
  require_met_combinations(formula_, rows);
  find_labels(rows);
  means_ = kept_values(kept, "predictor_mean", features_.size());
  deviations_ = kept_values(kept, "predictor_sd", features_.size());
  response_ = {kept_values(kept, "target_mean", 1)[0], kept_values(kept, "target_sd", 1)[0]};
  if (!(deviations_.minCoeff() > 0) || !(response_.sd > 0)) {
    throw DataError("the run keeps a standard deviation that is not positive");
  }
  take_table(rows);
}

// Where response and group are in this table, and which numbers stand for their labels there.
void Design::find_labels(const Table& table) {
  constexpr Index any_number = std::numeric_limits<Index>::max();
  const auto& levels = formula_.target.levels;
  response_column_ = column_or_none(table, formula_.target.name);
  classes_ = levels;
  if (formula_.response == Response::binary && levels.empty()) classes_ = {"0", "1"};
  if (has_response() && !levels.empty()) {
    response_levels_ = require_known(table, response_column_, levels, levels_of(table, response_column_, any_number));
  } else if (has_response()) {
    require_response(table, response_column_, formula_.response);
  }
  if (!formula_.group) return;
  group_column_ = column_or_none(table, formula_.group->name);
  if (group_column_ < 0) {
    throw DataError(
        fmt::format("{}: there is no column '{}', by which the model has groups", table.source, formula_.group->name));
  }
  const Levels found = levels_of(table, group_column_, any_number);
  groups_ = formula_.group->levels;
  group_levels_ = KnownLevels(groups_, found);
  for (const std::size_t unseen : group_levels_.unseen()) groups_.push_back(found.labels[unseen]);
}

void Design::take_table(const Table& table) {
  rows_ = table.rows();
  table_columns_ = table.columns();
  stored_ = table.stored;
  if (stored_) return;
  std::vector<double> values(static_cast<std::size_t>(block_rows * table_columns_));
  x_.resize(rows_, coefficients());
  y_.resize(rows_);
  if (formula_.group) group_.resize(static_cast<std::size_t>(rows_));
  each_block(0, rows_, [&](Index begin, Index count) {
    read_rows(table, begin, count, values.data());
    const auto read = std::span(values).first(static_cast<std::size_t>(count * table_columns_));
    const auto group = formula_.group ? std::span(group_).subspan(static_cast<std::size_t>(begin)) : std::span<Index>();
    take_rows(read, x_.middleRows(begin, count), y_.segment(begin, count), group);
  });
}

// The one place where values are standardised: rows from memory and from files have the same bits.
void Design::take_rows(std::span<const double> values, Eigen::Ref<Matrix> x, Out y, std::span<Index> group) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const double *means = means_.data(), *deviations = deviations_.data();
  for (Index i = 0; !values.empty(); ++i, values = values.subspan(static_cast<std::size_t>(table_columns_))) {
    const double* from = values.data();
    double* to = &x(i, 0);
    if (formula_.intercept) *to++ = 1;
    features_.expand(from, to, [=](Index j, double value) { return (value - means[j]) / deviations[j]; });
    y[i] = has_response() ? response(from[response_column_]) : unknown;
    if (formula_.group) group[static_cast<std::size_t>(i)] = group_levels_.number(from[group_column_]);
  }
}

double Design::response(double value) const {
  if (std::isnan(value)) return value;  // not observed
  if (!formula_.target.levels.empty()) return static_cast<double>(response_levels_.number(value));
  return (value - response_.mean) / response_.sd;
}

std::vector<double> Design::observed(const Table& table) const {
  std::vector<double> responses;
  if (!has_response()) return responses;
  responses.reserve(static_cast<std::size_t>(rows_));
  std::vector<double> values(static_cast<std::size_t>(block_rows * table_columns_));
  each_block(0, rows_, [&](Index begin, Index count) {
    read_rows(table, begin, count, values.data());
    for (Index i = 0; i < count; ++i) {
      const double value = values[static_cast<std::size_t>(i * table_columns_ + response_column_)];
      responses.push_back(formula_.target.levels.empty() ? value : response(value));
    }
  });
  return responses;
}

Layout Design::layout() const {
  const Variable beta{"beta", {features_.size()}, {"predictor"}};
  Layout layout{{beta}, {{"predictor", predictors()}}};
  if (formula_.intercept) layout.variables.insert(layout.variables.begin(), {"intercept", {}, {}});
  return layout;
}

ConstantData Design::constant_data() const {
  const Index count = features_.size();
  ConstantData kept;
  kept.layout = {{{"predictor_mean", {count}, {"predictor"}},
                  {"predictor_sd", {count}, {"predictor"}},
                  {"target_mean", {}, {}},
                  {"target_sd", {}, {}}},
                 {{"predictor", predictors()}}};
  kept.values.resize(kept.layout.size());
  kept.values << means_, deviations_, response_.mean, response_.sd;
  kept.attributes = {{"target", formula_.target.name}};
  formula_.keep_in(kept);
  return kept;
}

// y = m + s (b_0 + sum_j b_j (x_j - m_j) / s_j), read as a linear function of the original x_j.
void Design::to_original(In standardized, Out original) const {
  const Index count = means_.size();
  auto beta = original.tail(count);
  beta = response_.sd * standardized.tail(count).cwiseQuotient(deviations_);
  if (formula_.intercept) original[0] = response_.mean + response_.sd * standardized[0] - beta.dot(means_);
}

void Design::to_standardized(In original, Out standardized) const {
  const Index count = means_.size();
  const auto beta = original.tail(count);
  if (formula_.intercept) standardized[0] = (original[0] + beta.dot(means_) - response_.mean) / response_.sd;
  standardized.tail(count) = beta.cwiseProduct(deviations_) / response_.sd;
}

}  // namespace quasar
