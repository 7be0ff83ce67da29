// The columns that a user has named, found among those of a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

using ColumnNames = std::vector<std::string>;

struct ColumnChoice {
  Index target;
  std::optional<Index> group;
  std::vector<Index> predictors;  // in the order of the table
  std::vector<std::vector<Index>> interactions;
  std::vector<Index> categorical;

  std::vector<Index> used() const;  // all of the above, in the order of the table, each once
};

// UsageError: a name that no column has, a column in two roles, an interaction of fewer than two columns.
// `source`: for messages.
ColumnChoice choose_columns(const std::string& source, const ColumnNames& names, const DesignSettings& settings);

// The column called `name`, or the last one when name is empty. UsageError names the nearest column.
Index find_column(const std::string& source, const ColumnNames& names, const std::string& name);

// Those that the text of a parameter names, between commas; none where it is empty. UsageError: one that is not there,
// or is named twice.
std::vector<Index> find_columns(const std::string& source, const ColumnNames& names, std::string_view parameter,
                                const std::string& text);

}  // namespace quasar
