#include "models/regression/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "models/regression/blocks.hpp"

namespace quasar {

namespace {

std::string column_label(const Table& table, Index column) {
  const auto place = static_cast<std::size_t>(column);
  return fmt::format("column {} ('{}'): ", (table.places.empty() ? column : table.places[place]) + 1,
                     table.names[place]);
}

bool is_whole(double value) { return value == std::floor(value); }

void require(const Table& table, Index column, const std::function<bool(double)>& is_wrong, const std::string& cause) {
  const Index row = first_row(table, column, [&](double value) { return !std::isnan(value) && is_wrong(value); });
  if (row < table.rows()) throw DataError(location(table, row, column) + cause);
}

}  // namespace

const Table& require_table(const Table* table, const std::string& model) {
  if (table == nullptr) throw UsageError("model '" + model + "' needs data");
  return *table;
}

void require_rows(const Table& table, const std::string& may_be_missing) {
  if (table.columns() == 0 || table.rows() == 0) throw DataError(table.source + ": the table has no rows");
  for (Index row = 0; row < table.values.rows(); ++row) {
    for (Index column = 0; column < table.columns(); ++column) {
      const double value = table.values(row, column);
      const bool missing = std::isnan(value) && table.names[static_cast<std::size_t>(column)] == may_be_missing;
      if (!std::isfinite(value) && !missing) {
        throw DataError(location(table, row, column) + "the value is not a finite number");
      }
    }
  }
}

void require_numbers(const Table& table, Index column) {
  if (!table.has_labels(column)) return;
  const auto& labels = table.levels[static_cast<std::size_t>(column)];
  double first = 0;
  const Index row = first_row(table, column, [&](double value) {
    first = value;
    return !std::isnan(value);
  });
  throw DataError(fmt::format("{}'{}' is a label where a number is needed", location(table, row, column),
                              labels[static_cast<std::size_t>(first)]));
}

namespace {

// Two numbers may be labels; more of them are a measurement or a count.
std::string advice_on_target(const Table& table, Index column) {
  std::vector<double> values;
  const Index third = first_row(table, column, [&](double value) {
    if (!std::isnan(value) && std::ranges::count(values, value) == 0) values.push_back(value);
    return values.size() > 2;
  });
  return third == table.rows() ? "model.categorical makes labels of numbers"
                               : "for a response that is a number take the model linear, for counts poisson";
}

void require_binary(const Table& table, Index column) {
  const auto refuse = [&](Index row) {
    throw DataError(fmt::format("{}the target of a logistic regression must be 0 or 1, or one of two labels; {}",
                                location(table, row, column), advice_on_target(table, column)));
  };
  if (!table.summaries.empty()) {  // of a stored table, which need not be read
    const Index row = table.summaries[static_cast<std::size_t>(column)].first_not_binary;
    if (row < table.rows()) refuse(row);
    return;
  }
  const Index row =
      first_row(table, column, [](double value) { return !std::isnan(value) && value != 0 && value != 1; });
  if (row < table.rows()) refuse(row);
}

}  // namespace

void require_response(const Table& table, Index column, Response response) {
  require_numbers(table, column);
  if (response == Response::binary) require_binary(table, column);
  if (response == Response::counts) {
    require(
        table, column, [](double value) { return !is_whole(value) || value < 0; },
        "the target of a regression of counts must be a whole number that is not negative");
    require(
        table, column, [](double value) { return value > most_exact; },
        "counts above 2^53 = 9007199254740992 are not told from their neighbours");
  }
}

void require_whole(const Table& table, Index column) {
  require(
      table, column, [](double value) { return !is_whole(value); },
      "classes and groups must be labels or whole numbers");
}

Index first_row(const Table& table, Index column, const std::function<bool(double)>& is_like_that) {
  std::vector<double> values(table.stored ? static_cast<std::size_t>(block_rows * table.columns()) : 0);
  const auto value = [&](Index row, Index begin) {
    return table.stored ? values[static_cast<std::size_t>((row - begin) * table.columns() + column)]
                        : table.values(row, column);
  };
  for (Index begin = 0; begin < table.rows(); begin += block_rows) {
    const Index end = std::min(begin + block_rows, table.rows());
    if (table.stored) table.stored->read(begin, end - begin, values.data());
    for (Index row = begin; row < end; ++row) {
      if (is_like_that(value(row, begin))) return row;
    }
  }
  return table.rows();
}

std::string location(const Table& table, Index column) { return table.source + ": " + column_label(table, column); }

std::string location(const Table& table, Index row, Index column) {
  const std::string where = table.lines.empty() ? fmt::format(", row {}", row + 1)
                                                : fmt::format(":{}", table.lines[static_cast<std::size_t>(row)]);
  return table.source + where + ": " + column_label(table, column);
}

std::string shown_list(std::span<const std::string> texts) {
  constexpr std::size_t most_shown = 10;
  const auto shown = texts.first(std::min(texts.size(), most_shown));
  return fmt::format("'{}'{}", fmt::join(shown, "', '"), shown.size() < texts.size() ? ", ..." : "");
}

}  // namespace quasar
