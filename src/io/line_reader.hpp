// The lines of a text file, one at a time, in memory proportional to the longest.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/input_file.hpp"

namespace quasar {

class LineReader {
 public:
  static constexpr std::size_t default_max_length = std::size_t{256} << 20;

  explicit LineReader(InputFile file, std::size_t max_length = default_max_length);
  // The next line without its \n or \r\n, and without a byte order mark; false at the end of the file.
  // DataError: a line longer than max_length (noticed while reading it), a NUL byte.
  bool next(std::string& line);
  std::int64_t number() const { return number_; }  // of the line last read, from 1
  std::size_t max_length() const { return max_length_; }
  const InputFile& source() const { return file_; }
  [[noreturn]] void fail(std::int64_t line, std::string_view cause) const;  // DataError "file:line: cause"

 private:
  bool fill();
  void append(std::string& line, std::string_view piece) const;

  InputFile file_;
  std::size_t max_length_;
  std::int64_t number_ = 0;
  std::array<char, 1 << 16> buffer_;
  std::string_view unread_;  // the part of the buffer not yet handed out
};

}  // namespace quasar
