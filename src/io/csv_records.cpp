#include "io/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace quasar {

std::string_view trim_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

bool CsvRecords::next() {
  if (!lines_.next(text_)) return false;
  first_line_ = lines_.number();
  if (first_line_ == 1 && !any_dialect_) refuse_other_dialects();
  split();
  return true;
}

bool CsvRecords::next_filled() {
  while (next()) {
    if (!blank()) {
      if (empty_line_ > 0) fail(fmt::format("line {} is empty, yet the table goes on", empty_line_));
      return true;
    }
    if (empty_line_ == 0) empty_line_ = first_line_;
  }
  return false;
}

// Outside quotes, a header with a carriage return inside, or with another usual delimiter and no comma, is a file in
// another dialect.
void CsvRecords::refuse_other_dialects() const {
  using Named = std::pair<char, std::string_view>;
  constexpr std::array others = {Named{';', "semicolons"}, Named{'\t', "tabs"}, Named{'|', "vertical bars"}};
  std::string unquoted;
  bool quoted = false;
  for (const char c : text_) {
    if (c == '"') quoted = !quoted;
    if (!quoted) unquoted += c;
  }
  const auto holds = [header = trim_blanks(unquoted)](char c) { return header.find(c) != std::string_view::npos; };
  if (holds('\r')) fail("the lines end in a carriage return alone; \\n or \\r\\n is expected");
  if (holds(',')) return;
  for (const auto& [delimiter, name] : others) {
    if (holds(delimiter)) fail(fmt::format("the fields are separated by {}; commas are expected", name));
  }
}

void CsvRecords::split() {
  count_ = 0;
  for (std::size_t begin = 0;; begin += delimiter_.size()) {
    const std::size_t quote = std::min(text_.find_first_not_of(blanks(), begin), text_.size());
    const bool quoted = quote < text_.size() && text_[quote] == '"';
    begin = quoted ? take_quoted(quote + 1) : take_plain(begin);
    if (begin == text_.size()) return;
  }
}

std::string& CsvRecords::new_field() {
  constexpr std::size_t most = 10'000'000;  // a line of commas alone would take a hundred times its size in memory
  if (count_ == most) fail(fmt::format("more than {} fields", most));
  if (count_ == fields_.size()) fields_.emplace_back();
  std::string& field = fields_[count_++];
  field.clear();
  return field;
}

std::size_t CsvRecords::take_plain(std::size_t begin) {
  const std::size_t end = std::min(text_.find(delimiter_, begin), text_.size());
  new_field().assign(text_, begin, end - begin);
  return end;
}

std::size_t CsvRecords::take_quoted(std::size_t begin) {
  std::string& field = new_field();
  for (;;) {
    const std::size_t quote = text_.find('"', begin);
    field.append(text_, begin, std::min(quote, text_.size()) - begin);
    if (quote == std::string::npos) {
      begin = text_.size();
      continue_on_next_line();
    } else if (quote + 1 < text_.size() && text_[quote + 1] == '"') {  // "" inside quotes is one quote
      field += '"';
      begin = quote + 2;
    } else {
      const std::size_t end = std::min(text_.find_first_not_of(blanks(), quote + 1), text_.size());
      if (end < text_.size() && text_.compare(end, delimiter_.size(), delimiter_) != 0)
        fail(fmt::format("text behind the closing quote of field {}", count_));
      return end;
    }
  }
}

void CsvRecords::continue_on_next_line() {
  if (!lines_.next(next_line_)) fail(fmt::format("the quote that opens field {} is never closed", count_));
  if (text_.size() + next_line_.size() >= lines_.max_length()) fail("the record is too long: is a quote not closed?");
  text_ += '\n';
  text_ += next_line_;
}

}  // namespace quasar
