#include "io/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/field_text.hpp"
#include "io/line_reader.hpp"

namespace quasar {
namespace {

std::int64_t place_of(std::string_view text, std::int64_t most, std::string_view side) {
  const std::int64_t place = whole_number(text);
  if (place < 1 || place > most) {
    throw std::invalid_argument(
        fmt::format("{} {} is not between 1 and {}, the size of the matrix", side, place, most));
  }
  return place;
}

class MatrixMarket {
 public:
  MatrixMarket(InputFile file, const MatrixUse& use) : lines_(std::move(file)), use_(use) {}

  std::string read() {
    lines_.next(line_);
    try {
      read_kind();
      read_size();
      if (use_.size) use_.size(size_);
      while (next_line()) read_entry();
      if (read_ < size_.entries) {
        throw std::invalid_argument(
            fmt::format("the file ends after {} of the {} entries that it promises", read_, size_.entries));
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
      throw std::invalid_argument(
          fmt::format("{} are a sparse matrix: %%MatrixMarket matrix coordinate real general", use_.holds));
    }
    if (word(3) != "real" && word(3) != "integer") {
      throw std::invalid_argument(
          fmt::format("a matrix of the kind '{}' holds no {}; it must be real or integer", shown(word(3)), use_.holds));
    }
    if (word(4) != "general") {
      throw std::invalid_argument(
          fmt::format("a matrix of {} is general, not '{}': {}", use_.holds, shown(word(4)), use_.asymmetry));
    }
  }

  void read_size() {
    if (!next_line()) throw std::invalid_argument("the line with the size of the matrix is missing");
    if (words_.size() != 3) throw std::invalid_argument("the size is three numbers: rows, columns, entries");
    size_ = {whole_number(words_[0]), whole_number(words_[1]), whole_number(words_[2])};
  }

  void read_entry() {
    if (read_ == size_.entries) {
      throw std::invalid_argument(
          fmt::format("there are more than the {} entries that the size promises", size_.entries));
    }
    if (words_.size() != 3) {
      throw std::invalid_argument(fmt::format("expected row, column and value, found {} fields", words_.size()));
    }
    use_.entry({place_of(words_[0], size_.rows, "row"), place_of(words_[1], size_.columns, "column"), words_[0],
                words_[1], words_[2], lines_.number()});
    ++read_;
  }

  bool next_line() {  // that says something
    while (lines_.next(line_)) {
      split_at_blanks(line_, words_);
      if (!words_.empty() && !words_[0].starts_with('%')) return true;
    }
    return false;
  }

  LineReader lines_;
  const MatrixUse& use_;
  std::string line_;
  std::vector<std::string_view> words_;
  MatrixSize size_{};
  std::int64_t read_ = 0;
};

}  // namespace

std::string read_matrix_market(InputFile file, const MatrixUse& use) {
  return MatrixMarket(std::move(file), use).read();
}

}  // namespace quasar
