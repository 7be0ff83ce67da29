// A file that is either whole or refused: a mark, a kind, the length, the content, a checksum.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/atomic_file.hpp"
#include "io/file_descriptor.hpp"

namespace quasar {

// In one step: a temporary file beside it, synced, renamed. DataError: it cannot be written; the old one stays.
void write_checked_file(const std::filesystem::path& path, std::string_view kind, std::string_view content);

// The same, as the content comes.
class CheckedFile {
 public:
  CheckedFile(const std::filesystem::path& path, std::string_view kind);
  void write(std::string_view content);
  void commit();

 private:
  void flush();

  std::string kind_;
  AtomicFile file_;
  std::optional<FileDescriptor> bytes_;
  std::string buffer_;
  std::int64_t length_ = 0;  // of the content, without what is in the buffer
  std::uint32_t checksum_ = 0;
};

// DataError: it cannot be read, is of another kind, cut short or damaged.
std::string read_checked_file(const std::filesystem::path& path, std::string_view kind);

// The same of bytes in memory; `name` is for messages.
std::string checked_content(std::string_view bytes, std::string_view kind, const std::string& name);

}  // namespace quasar
