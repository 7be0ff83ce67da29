#include "io/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/field_text.hpp"
#include "io/line_reader.hpp"

namespace quasar {
namespace {

using Words = std::vector<std::string_view>;

void split_at_blanks(std::string_view line, Words& words) {
  constexpr std::string_view blanks = " \t";
  words.clear();
  for (std::size_t end = 0;;) {
    const std::size_t begin = line.find_first_not_of(blanks, end);
    if (begin == std::string_view::npos) return;
    end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
  }
}

std::int64_t whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 0) {
    throw std::invalid_argument(fmt::format("'{}' is not a whole number", shown(text)));
  }
  return number;
}

void require_place(std::string_view text, std::int64_t most, std::string_view side) {
  const std::int64_t place = whole(text);
  if (place < 1 || place > most) {
    throw std::invalid_argument(
        fmt::format("{} {} is not between 1 and {}, the size of the matrix", side, place, most));
  }
}

class MatrixMarket {
 public:
  MatrixMarket(InputFile file, RatingRows& rows) : lines_(std::move(file)), rows_(rows) {}

  std::string read() {
    lines_.next(line_);
    try {
      read_kind();
      read_size();
      while (next_line()) read_entry();
      if (rows_.size() < entries_) {
        throw std::invalid_argument(
            fmt::format("the file ends after {} of the {} entries that it promises", rows_.size(), entries_));
      }
    } catch (const std::invalid_argument& error) {
      lines_.fail(lines_.number(), error.what());
    }
    return lines_.source().content_hash();
  }

 private:
  void read_kind() {
    std::transform(line_.begin(), line_.end(), line_.begin(), [](unsigned char c) { return std::tolower(c); });
    split_at_blanks(line_, words_);
    const auto word = [&](std::size_t i) { return i < words_.size() ? words_[i] : std::string_view(); };
    if (word(1) != "matrix" || word(2) != "coordinate") {
      throw std::invalid_argument("ratings are a sparse matrix: %%MatrixMarket matrix coordinate real general");
    }
    if (word(3) != "real" && word(3) != "integer") {
      throw std::invalid_argument(
          fmt::format("a matrix of the kind '{}' holds no ratings; it must be real or integer", shown(word(3))));
    }
    if (word(4) != "general") {
      throw std::invalid_argument(
          fmt::format("a matrix of ratings is general, not '{}': users are no items", shown(word(4))));
    }
  }

  void read_size() {
    if (!next_line()) throw std::invalid_argument("the line with the size of the matrix is missing");
    if (words_.size() != 3) throw std::invalid_argument("the size is three numbers: rows, columns, entries");
    users_ = whole(words_[0]);
    items_ = whole(words_[1]);
    entries_ = whole(words_[2]);
  }

  void read_entry() {
    if (rows_.size() == entries_) {
      throw std::invalid_argument(fmt::format("there are more than the {} entries that the size promises", entries_));
    }
    if (words_.size() != 3) {
      throw std::invalid_argument(fmt::format("expected row, column and value, found {} fields", words_.size()));
    }
    require_place(words_[0], users_, "row");
    require_place(words_[1], items_, "column");
    rows_.add(words_[0], words_[1], words_[2], lines_.number());
  }

  bool next_line() {  // that says something
    while (lines_.next(line_)) {
      split_at_blanks(line_, words_);
      if (!words_.empty() && !words_[0].starts_with('%')) return true;
    }
    return false;
  }

  LineReader lines_;
  RatingRows& rows_;
  std::string line_;
  Words words_;
  std::int64_t users_ = 0, items_ = 0, entries_ = 0;
};

}  // namespace

std::string read_matrix_market(InputFile file, RatingRows& rows) { return MatrixMarket(std::move(file), rows).read(); }

}  // namespace quasar
