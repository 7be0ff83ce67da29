#include "models/sequences/series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"

namespace quasar {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor rows_of(const Table& table) {
  if (table.columns() == 0 || table.rows() == 0) throw DataError(table.source + ": the table has no rows");
  RowMajor rows(table.rows(), table.columns());
  read_rows(table, 0, rows.rows(), rows.data());
  return rows;
}

Index only_column(const Table& table, const std::vector<Index>& columns) {
  if (columns.size() == 1) return columns.front();
  throw UsageError(fmt::format("{}: categories are in one column: name it with model.columns", table.source));
}

void require_values(const Table& table, const RowMajor& rows, Index column, Emission emission) {
  require_numbers(table, column);
  if (emission == Emission::poisson) require_response(table, column, Response::counts);
  if (rows.col(column).array().isInf().any()) {
    const Index row = first_row(table, column, [](double value) { return std::isinf(value); });
    throw DataError(location(table, row, column) + "the value is not a finite number");
  }
  if (rows.col(column).array().isNaN().all()) {
    throw DataError(location(table, column) + "every value is missing");
  }
}

std::vector<std::string> categories_in(const Table& table, const RowMajor& rows, Index column) {
  if (table.has_labels(column)) return table.levels[static_cast<std::size_t>(column)];
  require_whole(table, column);
  std::set<double> values;
  for (const double value : rows.col(column)) {
    if (!std::isnan(value)) values.insert(value);
  }
  if (values.empty()) throw DataError(location(table, column) + "every value is missing");
  std::vector<std::string> categories;
  for (const double value : values) categories.push_back(fmt::format("{}", value));
  return categories;
}

// A point is the indicator of its category; all of it is missing where the category is.
Mat indicators(const Table& table, const RowMajor& rows, Index column, const std::vector<std::string>& categories) {
  Mat points = Mat::Zero(std::ssize(categories), rows.rows());
  for (Index t = 0; t < rows.rows(); ++t) {
    const double value = rows(t, column);
    if (std::isnan(value)) {
      points.col(t).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto found = table.has_labels(column) ? categories.begin() + static_cast<std::ptrdiff_t>(value)
                                                : std::ranges::find(categories, fmt::format("{}", value));
    points(found - categories.begin(), t) = 1;
  }
  return points;
}

std::vector<Index> starts_of(const Table& table, const RowMajor& rows, const std::string& name) {
  std::vector<Index> starts{0};
  if (name.empty()) return starts;
  const Index column = find_column(table.source, table.names, name);
  std::set<double> seen;
  for (Index t = 0; t < rows.rows(); ++t) {
    const double value = rows(t, column);
    if (std::isnan(value)) throw DataError(location(table, t, column) + "the sequence of this row is missing");
    if (t > 0 && value == rows(t - 1, column)) continue;
    if (!seen.insert(value).second) {
      throw DataError(location(table, t, column) +
                      "the sequence goes on after another one: its rows must follow each other");
    }
    if (t > 0) starts.push_back(t);
  }
  return starts;
}

bool rises_in_equal_steps(const RowMajor& rows, Index column, const std::vector<Index>& starts) {
  double first_step = 0;
  for (Index t = 1; t < rows.rows(); ++t) {
    const double step = rows(t, column) - rows(t - 1, column);
    if (std::ranges::binary_search(starts, t)) continue;
    if (first_step == 0) first_step = step;
    if (!(step > 0) || std::abs(step - first_step) > 1e-6 * first_step) return false;
  }
  return first_step > 0;
}

// A column that counts the rows, beside others, is hardly meant to be a part of the series.
void refuse_to_guess_the_time(const Table& table, const RowMajor& rows, const std::vector<Index>& columns,
                              const std::vector<Index>& starts) {
  if (columns.size() < 2 || rows.rows() < 3) return;
  for (const Index column : columns) {
    if (!rises_in_equal_steps(rows, column, starts)) continue;
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

NamedSequences make_series(const Table& table, const SeriesSettings& settings) {
  const RowMajor rows = rows_of(table);
  std::vector<Index> columns = series_columns(table.source, table.names, settings).values;
  NamedSequences series;
  series.data.starts = starts_of(table, rows, settings.sequence);
  if (settings.emission == Emission::categorical) {
    const Index column = only_column(table, columns);
    series.names = categories_in(table, rows, column);
    series.data.values = indicators(table, rows, column, series.names);
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
