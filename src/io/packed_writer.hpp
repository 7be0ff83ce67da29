// Writes a table in the packed format, row by row, in memory that does not grow with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/column_summaries.hpp"
#include "io/atomic_file.hpp"
#include "io/file_descriptor.hpp"
#include "io/packed_format.hpp"

namespace quasar {

class PackedWriter {
 public:
  // The file appears under its name when it is finished; until then it is a temporary one beside it. DataError.
  PackedWriter(const std::filesystem::path& path, std::vector<std::string> names);
  void add(std::span<const double> row);  // one finite number per column
  // Reads the rows once more, for the squares of their deviations, and writes the header. DataError.
  void finish(const std::string& content_hash, IfExists if_exists = IfExists::replace);

  Index rows() const { return static_cast<Index>(head_.rows); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(head_.file_size); }

 private:
  void flush();
  void add_squares();
  void write_header(const std::string& content_hash);

  std::vector<std::string> names_;
  PackedHead head_{};  // file_size: what is written so far
  ColumnSummaries summaries_;
  std::vector<double> buffer_;  // whole rows
  AtomicFile file_;
  std::optional<FileDescriptor> bytes_;  // closed when the file is put in place
};

}  // namespace quasar
