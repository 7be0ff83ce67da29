// Finding a model's column in a table, and saying precisely where a table is wrong.
#pragma once

#include <string>

#include <quasar/table.hpp>

namespace quasar {

const Table& require_table(const Table* table, const std::string& model);  // UsageError: the model needs data
void require_rows(const Table& table);  // DataError: empty, or a value in memory is not finite
void require_binary(const Table& table, Index column, const ColumnSummary& summary);  // DataError: not 0 or 1

// The column called `name`, or the last one when name is empty. UsageError names the nearest column.
Index target_column(const Table& table, const std::string& name);

// The beginning of a message: "heart.csv:7: column 3 ('age'): ", or "heart.csv: column 3 ('age'): " without a row.
std::string location(const Table& table, Index column);
std::string location(const Table& table, Index row, Index column);

}  // namespace quasar
