// What a model requires of the columns of a table, and how it says precisely where a table is wrong.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

inline constexpr double most_exact = 9007199254740992;  // 2^53: above it, not every whole number is a double

const Table& require_table(const Table* table, const std::string& model);  // UsageError: the model needs data

// DataError, with the place and the cause.
// There are some; values in memory are finite, or NaN in the one column that need not be observed.
void require_rows(const Table& table, const std::string& may_be_missing = "");
void require_numbers(const Table& table, Index column);                      // no labels
void require_whole(const Table& table, Index column);                        // ..., -1, 0, 1, ...
void require_response(const Table& table, Index column, Response response);  // numbers of that kind

// The first row whose value in this column is like that; the number of rows: there is none.
Index first_row(const Table& table, Index column, const std::function<bool(double)>& is_like_that);

// The beginning of a message: "heart.csv:7: column 3 ('age'): ", or "heart.csv: column 3 ('age'): " without a row.
std::string location(const Table& table, Index column);
std::string location(const Table& table, Index row, Index column);
std::string shown_list(std::span<const std::string> texts);  // 'a', 'b, c', ...: the first of them

}  // namespace quasar
