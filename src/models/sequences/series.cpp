#include "models/sequences/series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "core/labels.hpp"
#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"

namespace quasar {
namespace {

constexpr std::size_t most_categories = 1000;

Mat rows_of(const Table& table) {
  if (table.columns() == 0 || table.rows() == 0) throw DataError(table.source + ": the table has no rows");
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(table.rows(), table.columns());
  read_rows(table, 0, rows.rows(), rows.data());
  return rows;
}

Index only_column(const Table& table, const std::vector<Index>& columns) {
  if (columns.size() == 1) return columns.front();
  throw UsageError(fmt::format("{}: categories are in one column: name it with model.columns", table.source));
}

void require_values(const Table& table, const Mat& rows, Index column, Emission emission) {
  require_numbers(table, column);
  if (emission == Emission::poisson) require_response(table, column, Response::counts);
  if (rows.col(column).array().isInf().any()) {
    const Index row = first_row(table, column, [](double value) { return std::isinf(value); });
    throw DataError(location(table, row, column) + "the value is not a finite number");
  }
  if ((rows.col(column).array().abs() > largest_value).any()) {
    const Index row = first_row(table, column, [](double value) { return std::abs(value) > largest_value; });
    throw DataError(location(table, row, column) + "the value is too large to be squared");
  }
  if (rows.col(column).array().isNaN().all()) {
    throw DataError(location(table, column) + "every value is missing");
  }
}

// A column that counts the rows, beside others, is hardly meant to be a part of the series.
void refuse_to_guess_the_time(const Table& table, const Mat& rows, const std::vector<Index>& columns,
                              const std::vector<Index>& starts) {
  if (columns.size() < 2) return;
  for (const Index column : columns) {
    if (!rises_in_equal_steps(rows.col(column), starts)) continue;
    throw UsageError(location(table, column) +
                     "rises in equal steps, as the time does; say with model.columns which columns are the series");
  }
}

}  // namespace

bool is_of_series(const Config& parameters) {
  return parameters.values().contains("sequence") && parameters.values().contains("columns");
}

SeriesSettings series_settings(const Config& parameters) {
  const std::string& emission = parameters.text("emission");
  return {.columns = parameters.text("columns"),
          .sequence = parameters.text("sequence"),
          .emission = emission == "poisson"       ? Emission::poisson
                      : emission == "categorical" ? Emission::categorical
                                                  : Emission::normal};
}

SeriesColumns series_columns(const std::string& source, const std::vector<std::string>& names,
                             const SeriesSettings& settings) {
  SeriesColumns columns{find_columns(source, names, "columns", settings.columns), {}};
  const Index sequence = settings.sequence.empty() ? -1 : find_column(source, names, settings.sequence);
  if (std::ranges::count(columns.values, sequence) > 0) {
    throw UsageError(fmt::format("{}: column '{}' tells the sequences apart and cannot be a value as well", source,
                                 settings.sequence));
  }
  for (Index column = 0; settings.columns.empty() && column < std::ssize(names); ++column) {
    if (column != sequence) columns.values.push_back(column);
  }
  std::ranges::sort(columns.values);
  if (settings.emission == Emission::categorical) columns.labels = columns.values;
  if (sequence >= 0) columns.labels.push_back(sequence);
  return columns;
}

std::vector<Index> sequence_starts(const Table& table, Index column, In values) {
  std::vector<Index> starts{0};
  std::set<double> seen;
  for (Index t = 0; t < values.size(); ++t) {
    if (std::isnan(values[t])) throw DataError(location(table, t, column) + "the sequence of this row is missing");
    if (t > 0 && values[t] == values[t - 1]) continue;
    if (!seen.insert(values[t]).second) {
      throw DataError(location(table, t, column) +
                      "the sequence goes on after another one: its rows must follow each other");
    }
    if (t > 0) starts.push_back(t);
  }
  return starts;
}

bool rises_in_equal_steps(In values, const std::vector<Index>& starts) {
  if (values.size() < 3) return false;
  double first_step = 0;
  for (Index t = 1; t < values.size(); ++t) {
    const double step = values[t] - values[t - 1];
    if (std::ranges::binary_search(starts, t)) continue;
    if (first_step == 0) first_step = step;
    if (!(step > 0) || std::abs(step - first_step) > 1e-6 * first_step) return false;
  }
  return first_step > 0;
}

Categories categories_of(const Table& table, Index column, In values) {
  if (!table.has_labels(column)) require_whole(table, column);
  std::map<double, Index> places;
  for (const double value : values) {
    if (!std::isnan(value)) places.try_emplace(value, 0);
  }
  if (places.empty()) throw DataError(location(table, column) + "every value is missing");
  Categories all;
  if (table.has_labels(column)) all.names = table.levels[static_cast<std::size_t>(column)];
  for (auto& [value, place] : places) {
    place = table.has_labels(column) ? static_cast<Index>(value) : std::ssize(all.names);
    if (!table.has_labels(column)) all.names.push_back(number_label(value));
  }
  if (all.names.size() > most_categories) {
    throw DataError(location(table, column) + fmt::format("{} categories, and {} are the most; are its values numbers?",
                                                          all.names.size(), most_categories));
  }
  all.points = Mat::Zero(std::ssize(all.names), values.size());
  for (Index t = 0; t < values.size(); ++t) {
    if (std::isnan(values[t]))
      all.points.col(t).setConstant(std::numeric_limits<double>::quiet_NaN());
    else
      all.points(places.at(values[t]), t) = 1;
  }
  return all;
}

NamedSequences make_series(const Table& table, const SeriesSettings& settings) {
  const Mat rows = rows_of(table);
  std::vector<Index> columns = series_columns(table.source, table.names, settings).values;
  NamedSequences series;
  if (!settings.sequence.empty()) {
    const Index column = find_column(table.source, table.names, settings.sequence);
    series.data.starts = sequence_starts(table, column, rows.col(column));
  }
  if (settings.emission == Emission::categorical) {
    const Index column = only_column(table, columns);
    Categories categories = categories_of(table, column, rows.col(column));
    series.names = std::move(categories.names);
    series.data.values = std::move(categories.points);
    return series;
  }
  if (settings.columns.empty()) {
    std::erase_if(columns, [&](Index column) { return table.has_labels(column); });
    refuse_to_guess_the_time(table, rows, columns, series.data.starts);
  }
  if (columns.empty()) throw DataError(table.source + ": no column holds numbers");
  for (const Index column : columns) {
    require_values(table, rows, column, settings.emission);
    series.names.push_back(table.names[static_cast<std::size_t>(column)]);
  }
  series.data.values = rows(Eigen::all, columns).transpose();
  return series;
}

}  // namespace quasar
