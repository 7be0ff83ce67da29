// The records of a comma-separated file, or of one with another delimiter: lines split into fields, quotes undone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/line_reader.hpp"

namespace quasar {

std::string_view trim_blanks(std::string_view text);  // without spaces and tabs at both ends

class CsvRecords {
 public:
  // delimiter: commas; other dialects are refused
  explicit CsvRecords(InputFile file) : lines_(std::move(file)) {}
  CsvRecords(InputFile file, std::string_view delimiter)
      : lines_(std::move(file)), delimiter_(delimiter), any_dialect_(true) {}
  bool next();         // false at the end; a quoted field may run over several lines
  bool next_filled();  // likewise, empty lines left out. They are allowed at the end only, where editors leave them.
                       // DataError
  std::span<const std::string> fields() const { return {fields_.data(), count_}; }
  bool blank() const { return trim_blanks(text_).empty(); }
  std::int64_t line() const { return first_line_; }
  const InputFile& source() const { return lines_.source(); }
  [[noreturn]] void fail(std::string_view cause) const { lines_.fail(first_line_, cause); }

 private:
  void refuse_other_dialects() const;
  void split();
  std::string& new_field();
  std::size_t take_plain(
      std::size_t begin);  // each returns where the field ends: at a delimiter or the end of the record
  std::size_t take_quoted(std::size_t begin);  // begin: just behind the opening quote
  void continue_on_next_line();
  std::string_view blanks() const { return delimiter_ == "\t" ? " " : " \t"; }  // around a value

  LineReader lines_;
  std::string_view delimiter_ = ",";
  bool any_dialect_ = false;
  std::string text_, next_line_;
  std::int64_t first_line_ = 0;
  std::int64_t empty_line_ = 0;      // the first one met; 0: none
  std::vector<std::string> fields_;  // the first count_ are this record's; kept to reuse their memory
  std::size_t count_ = 0;
};

}  // namespace quasar
