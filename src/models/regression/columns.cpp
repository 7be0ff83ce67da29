#include "models/regression/columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

namespace quasar {

namespace {

std::string column_label(const Table& table, Index column) {
  return fmt::format("column {} ('{}'): ", column + 1, table.names[static_cast<std::size_t>(column)]);
}

}  // namespace

const Table& require_table(const Table* table, const std::string& model) {
  if (table == nullptr) throw UsageError("model '" + model + "' needs data");
  return *table;
}

void require_rows(const Table& table) {
  if (table.columns() == 0 || table.rows() == 0) throw DataError(table.source + ": the table has no rows");
  for (Index row = 0; row < table.values.rows(); ++row) {
    for (Index column = 0; column < table.columns(); ++column) {
      if (!std::isfinite(table.values(row, column))) {
        throw DataError(location(table, row, column) + "the value is not a finite number");
      }
    }
  }
}

void require_binary(const Table& table, Index column, const ColumnSummary& summary) {
  if (summary.first_not_binary == table.rows()) return;
  throw DataError(location(table, summary.first_not_binary, column) +
                  "the target of a logistic regression must be 0 or 1");
}

Index target_column(const Table& table, const std::string& name) {
  if (name.empty()) return table.columns() - 1;
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  if (found == table.names.end()) {
    const std::vector<std::string_view> candidates(table.names.begin(), table.names.end());
    throw UsageError(table.source + ": " + unknown_name("column", name, candidates));
  }
  return found - table.names.begin();
}

std::string location(const Table& table, Index column) { return table.source + ": " + column_label(table, column); }

std::string location(const Table& table, Index row, Index column) {
  const std::string where = table.lines.empty() ? fmt::format(", row {}", row + 1)
                                                : fmt::format(":{}", table.lines[static_cast<std::size_t>(row)]);
  return table.source + where + ": " + column_label(table, column);
}

}  // namespace quasar
