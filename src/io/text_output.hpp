// Text in large pieces, to standard output or to a file that appears whole or not at all.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/atomic_file.hpp"

namespace quasar {

// Every member throws DataError when the text cannot be written: a full disk, a reader that left.
class TextOutput {
 public:
  static TextOutput to_standard_output();
  explicit TextOutput(const std::filesystem::path& path);  // the file is not there before commit

  void write(std::string_view text);
  void write_number(double number);  // the shortest text that reads back as the same number; NaN, inf, -inf
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    flush_when_large();
  }

  void finish();                    // all is handed over; nothing can be written any more
  void commit(IfExists if_exists);  // after finish: puts the file in place

 private:
  using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  explicit TextOutput(Stream stream);
  void flush_when_large();
  void flush();
  [[noreturn]] void fail() const;

  std::string name_ = "standard output";
  std::optional<AtomicFile> file_;
  Stream stream_;
  fmt::memory_buffer buffer_;
};

}  // namespace quasar
