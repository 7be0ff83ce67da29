// Rows for a model that has been fitted, from a file or from memory.
#pragma once

#include <optional>
#include <string>

#include <quasar/run_data.hpp>
#include <quasar/table.hpp>

#include "table.hpp"

namespace quasar::python {

inline constexpr const char* the_run = "the run";  // in messages

// what: the name of columns in messages. DataError
Table new_rows(const Run& run, const std::string& what, const PathOrColumns& data);
std::optional<Table> new_rows(const Run& run, const std::string& what, const std::optional<PathOrColumns>& data);

}  // namespace quasar::python
