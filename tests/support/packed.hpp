// Tables of tests in the packed format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/packed_table.hpp"
#include "io/packed_writer.hpp"
#include "support/temp_folder.hpp"

namespace quasar::test {

inline const std::string packed_hash = "fnv1a64:0123456789abcdef";

inline void write_packed(const std::filesystem::path& path, const Table& table) {
  PackedWriter writer(path, table.names);
  std::vector<double> row(static_cast<std::size_t>(table.columns()));
  for (Index i = 0; i < table.rows(); ++i) {
    read_rows(table, i, 1, row.data());
    writer.add(row);
  }
  writer.finish(packed_hash);
}

inline Table packed(const std::filesystem::path& path, const Table& table) {
  write_packed(path, table);
  return open_packed_table(path);
}

}  // namespace quasar::test
