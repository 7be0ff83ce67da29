#include "table.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "io/csv_labels.hpp"
#include "io/input_file.hpp"

namespace quasar::python {
namespace {

void require_finite(const Table& table, const std::string& may_be_missing, bool gaps) {
  for (Index j = 0; j < table.values.cols(); ++j) {
    const std::string& name = table.names[static_cast<std::size_t>(j)];
    for (Index i = 0; i < table.values.rows(); ++i) {
      const double value = table.values(i, j);
      if (std::isfinite(value) || (std::isnan(value) && (gaps || name == may_be_missing))) continue;
      throw DataError(fmt::format("{}: row {}, column '{}': {} is not a finite number", table.source, i, name, value));
    }
  }
}

// In the order that a CSV file would give them.
void set_labels(Table& table, const std::vector<Texts>& labels) {
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j].empty()) continue;
    CsvLabels column;
    for (const std::string& label : labels[j]) column.number(label);
    set_levels(table, static_cast<Index>(j), column);
  }
}

}  // namespace

Table as_table(const std::string& source, const Columns& columns, const std::string& may_be_missing, bool gaps) {
  const auto& [names, values, labels] = columns;
  if (names.size() != values.shape(1)) {
    throw UsageError(fmt::format("{} names for {} columns of {}", names.size(), values.shape(1), source));
  }
  Table table{source, names, transposed(values).transpose(), {}};
  require_finite(table, may_be_missing, gaps);
  set_labels(table, labels);
  std::string parts = content_hash({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  for (const std::string& name : names) parts += '\0' + name;
  for (const Texts& of_column : labels) {
    parts += '\1';
    for (const std::string& label : of_column) parts += '\0' + label;
  }
  table.content_hash = content_hash(parts);
  return table;
}

}  // namespace quasar::python
