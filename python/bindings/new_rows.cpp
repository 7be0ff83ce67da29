#include "new_rows.hpp"

#include "front/read_data.hpp"
#include "interpreter_lock.hpp"

namespace quasar::python {

Table new_rows(const Run& run, const std::string& what, const PathOrColumns& data) {
  if (const auto* columns = std::get_if<Columns>(&data)) {
    return as_table(what, *columns, columns_of_new_rows(what, std::get<0>(*columns), run.constants).response);
  }
  const InterpreterUnlocked unlocked;
  return read_new_rows(std::get<std::string>(data), run.constants);
}

std::optional<Table> new_rows(const Run& run, const std::string& what, const std::optional<PathOrColumns>& data) {
  if (!data) return std::nullopt;
  return new_rows(run, what, *data);
}

}  // namespace quasar::python
