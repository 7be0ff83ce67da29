#include "io/ratings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "io/csv_records.hpp"
#include "io/field_text.hpp"
#include "io/matrix_market.hpp"

namespace quasar {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
const RatingNames default_names = {"user", "item", "rating"};

// The first line, and a file that still has it. DataError: the file is empty.
std::pair<std::string, InputFile> first_line(InputFile file) {
  constexpr std::size_t most = 1 << 16;
  const auto rest = std::make_shared<InputFile>(std::move(file));
  std::string head;
  std::array<char, 4096> buffer;
  while (head.find('\n') == std::string::npos && head.size() < most) {
    const std::size_t count = rest->read(buffer);
    if (count == 0) break;
    head.append(buffer.data(), count);
  }
  if (head.empty()) throw DataError(fmt::format("{}: the file is empty", rest->name()));
  std::string line = head.substr(0, head.find('\n'));
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  return {std::move(line), InputFile(rest->name(), [rest, head, done = std::size_t{0}](std::span<char> to) mutable {
            if (done == head.size()) return rest->read(to);
            const std::size_t count = head.copy(to.data(), to.size(), done);
            done += count;
            return count;
          })};
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

// The one that the line has most of; empty: it has none.
std::string_view delimiter_of(std::string_view line) {
  std::string_view best;
  std::size_t most = 0;
  for (const std::string_view delimiter : {"::", "\t", ",", ";"}) {
    const std::size_t count = count_of(line, delimiter);
    if (count > most) {
      best = delimiter;
      most = count;
    }
  }
  return best;
}

// Separated ratings: finds the columns, then takes them from every line.
class SeparatedRatings {
 public:
  SeparatedRatings(InputFile file, std::string_view delimiter, const RatingNames& wanted, RatingsFor use)
      : records_(std::move(file), delimiter), wanted_(wanted), use_(use) {}

  RatingNames read(RatingRows& rows) {
    records_.next();
    if (records_.blank()) records_.fail("the first line is empty");
    width_ = records_.fields().size();
    const bool header = is_header();
    if (header) {
      find_columns();
    } else {
      take_first_columns();
      add_to(rows);
    }
    while (next_record()) add_to(rows);
    if (rows.size() == 0) throw DataError(fmt::format("{}: a header but no ratings", source().name()));
    return names_;
  }

  const InputFile& source() const { return records_.source(); }

 private:
  std::string_view field(std::size_t place) const { return trim_blanks(records_.fields()[place]); }

  bool is_header() const {
    if (width_ < 2) return true;
    const bool user = is_number(field(0)), item = is_number(field(1));
    return width_ == 2 ? !user && !item : !is_number(field(2)) && !(user && item);
  }

  void find_columns() {
    std::vector<std::string> header;
    for (std::size_t i = 0; i < width_; ++i) header.emplace_back(field(i));
    user_ = place_of(header, wanted_.user, 0);
    item_ = place_of(header, wanted_.item, 1);
    rating_ = place_of(header, wanted_.rating, 2);
    names_ = {name_of(header, user_, "user", wanted_.user), name_of(header, item_, "item", wanted_.item), ""};
    if (rating_ != nowhere || use_ == RatingsFor::fitting)
      names_.rating = name_of(header, rating_, "rating", wanted_.rating);
    if (user_ == item_ || user_ == rating_ || item_ == rating_) {
      records_.fail("user, item and rating are three columns, and two of them have one name here");
    }
  }

  std::size_t place_of(const std::vector<std::string>& header, const std::string& name, std::size_t otherwise) const {
    if (name.empty()) return otherwise < width_ ? otherwise : nowhere;
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) return nowhere;
    if (std::find(found + 1, header.end(), name) != header.end()) {
      records_.fail(fmt::format("two columns are called '{}'", shown(name)));
    }
    return static_cast<std::size_t>(found - header.begin());
  }

  std::string name_of(const std::vector<std::string>& header, std::size_t place, std::string_view what,
                      const std::string& wanted) const {
    if (place != nowhere) {
      if (header[place].empty() || !is_utf8(header[place]))
        records_.fail(fmt::format("the column of the {} has no name in UTF-8 text", what));
      return header[place];
    }
    const std::size_t most = std::min<std::size_t>(width_, 20);
    std::vector<std::string> there;
    for (std::size_t i = 0; i < most; ++i) there.push_back(shown(header[i]));
    records_.fail(wanted.empty()
                      ? fmt::format("user, item and rating are three columns, and there are {}", width_)
                      : fmt::format("there is no column '{}' for the {}; the first line, taken for a header, has {}",
                                    shown(wanted), what, fmt::join(there, ", ")));
  }

  void take_first_columns() {
    user_ = 0;
    item_ = 1;
    rating_ = width_ > 2 ? 2 : nowhere;
    if (rating_ == nowhere && use_ == RatingsFor::fitting) {
      records_.fail("user, item and rating are three columns, and there are 2");
    }
    names_ = default_names;
  }

  // Empty lines are allowed at the end only, where editors leave them.
  bool next_record() {
    for (std::int64_t empty_line = 0; records_.next();) {
      if (!records_.blank()) {
        if (empty_line > 0) records_.fail(fmt::format("line {} is empty, yet the table goes on", empty_line));
        const std::size_t fields = records_.fields().size();
        if (fields != width_) records_.fail(fmt::format("expected {} fields, found {}", width_, fields));
        return true;
      }
      if (empty_line == 0) empty_line = records_.line();
    }
    return false;
  }

  void add_to(RatingRows& rows) const {
    try {
      if (rating_ == nowhere)
        rows.add(field(user_), field(item_), records_.line());
      else
        rows.add(field(user_), field(item_), field(rating_), records_.line());
    } catch (const std::invalid_argument& error) {
      records_.fail(error.what());
    }
  }

  CsvRecords records_;
  RatingNames wanted_;
  RatingsFor use_;
  std::size_t width_ = 0, user_ = 0, item_ = 0, rating_ = 0;
  RatingNames names_;
};

}  // namespace

Table read_ratings(InputFile file, const RatingNames& wanted, RatingsFor use) {
  auto [line, whole] = first_line(std::move(file));
  const std::string name = whole.name();
  RatingRows rows(use == RatingsFor::fitting ? RatingRows::Missing::is_wrong : RatingRows::Missing::is_nan);
  RatingNames names = default_names;
  std::string hash;
  if (line.starts_with(matrix_market_mark)) {
    hash = read_matrix_market(std::move(whole), rows);
    if (rows.size() == 0) throw DataError(fmt::format("{}: the matrix has no entries", name));
  } else {
    const std::string_view delimiter = delimiter_of(line);
    if (delimiter.empty()) {
      throw DataError(fmt::format(
          "{}:1: ratings are separated by commas, tabs, semicolons or '::', and this line has none of them", name));
    }
    SeparatedRatings separated(std::move(whole), delimiter, wanted, use);
    names = separated.read(rows);
    hash = separated.source().content_hash();
  }
  Table table = rows.table(names);
  table.source = name;
  table.content_hash = hash;
  return table;
}

}  // namespace quasar
