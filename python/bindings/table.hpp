// Columns of NumPy as a table.
#pragma once

#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <quasar/table.hpp>

#include "arrays.hpp"

namespace quasar::python {

using Texts = std::vector<std::string>;
using Columns = std::tuple<Texts, Matrix, std::vector<Texts>>;  // names, values, labels that the values number
using PathOrColumns = std::variant<std::string, Columns>;

// source: for messages. may_be_missing: the column where NaN is a value that is not known; gaps: all are. DataError
Table as_table(const std::string& source, const Columns& columns, const std::string& may_be_missing = "",
               bool gaps = false);

}  // namespace quasar::python
