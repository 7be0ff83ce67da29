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
#include "io/peek.hpp"

namespace quasar {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
const RatingNames default_names = {"user", "item", "rating"};

// Behind the closing quote of a text that opens with one at `quote`; "" inside is one quote.
std::size_t end_of_quoted(std::string_view line, std::size_t quote) {
  for (std::size_t at = line.find('"', quote + 1); at != std::string_view::npos; at = line.find('"', at + 2)) {
    if (at + 1 == line.size() || line[at + 1] != '"') return at + 1;
  }
  return line.size();
}

// Without fields in quotes, whichever the delimiter is: a quote opens behind one and closes before one.
std::string without_quoted(std::string_view line) {
  constexpr std::string_view blanks = " \r", delimiters = ",;:\t";
  const auto ends_field = [&](std::size_t at) {
    at = line.find_first_not_of(blanks, at);
    return at == std::string_view::npos || delimiters.find(line[at]) != std::string_view::npos;
  };
  std::string rest;
  const auto begins_field = [&] {
    const std::size_t before = rest.find_last_not_of(blanks);
    return before == std::string::npos || delimiters.find(rest[before]) != std::string_view::npos;
  };
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"' && begins_field()) {
      const std::size_t end = end_of_quoted(line, at);
      if (ends_field(end)) at = end;
    }
    if (at < line.size()) rest += line[at];
  }
  return rest;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

// "::" where it makes three fields, for titles are full of the others; else the one that the line has most of; empty:
// it has none.
std::string_view delimiter_of(std::string_view first_line) {
  const std::string line = without_quoted(first_line);
  if (count_of(line, "::") >= 2) return "::";
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

std::string_view named(std::string_view delimiter) {
  return delimiter == "\t" ? "tabs" : delimiter == "," ? "commas" : delimiter == ";" ? "semicolons" : "'::'";
}

RatingNames names_without_header(const RatingNames& wanted, RatingsFor use) {
  return use == RatingsFor::predicting && !wanted.user.empty() ? wanted : default_names;
}

// Separated ratings: finds the columns, then takes them from every line.
class SeparatedRatings {
 public:
  SeparatedRatings(InputFile file, std::string_view delimiter, RatingNames wanted, RatingsFor use)
      : records_(std::move(file), delimiter), delimiter_(named(delimiter)), wanted_(std::move(wanted)), use_(use) {}

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

  // A line of names, by what it holds or by the names themselves: of a header "user,item,2024" the third is no rating.
  bool is_header() const {
    if (width_ < 2 || has_names()) return true;
    const bool user = is_number(field(0)), item = is_number(field(1));
    if (width_ == 2) return !user && !item;
    if (is_missing(field(2))) return is_header_without_third();
    return !is_number(field(2)) && !(user && item);
  }

  bool has_names() const {
    const auto has = [&](const std::string& name) {
      for (std::size_t i = 0; i < width_; ++i) {
        if (field(i) == name) return true;
      }
      return false;
    };
    return has(wanted_.user.empty() ? default_names.user : wanted_.user) &&
           has(wanted_.item.empty() ? default_names.item : wanted_.item);
  }

  // Taken for a header, a line with a missing rating would be lost.
  bool is_header_without_third() const {
    if (use_ == RatingsFor::predicting) return false;
    records_.fail(fmt::format("the third field '{}' is neither the name of a column nor a rating", field(2)));
  }

  void find_columns() {
    if (width_ < 3 && use_ == RatingsFor::fitting) fail_for_want_of_columns();
    std::vector<std::string> header;
    for (std::size_t i = 0; i < width_; ++i) header.emplace_back(field(i));
    user_ = place_of(header, wanted_.user, default_names.user, 0);
    item_ = place_of(header, wanted_.item, default_names.item, 1);
    rating_ = place_of(header, wanted_.rating, default_names.rating, 2);
    names_ = {name_of(header, user_, "user", wanted_.user), name_of(header, item_, "item", wanted_.item), ""};
    if (rating_ != nowhere || use_ == RatingsFor::fitting)
      names_.rating = name_of(header, rating_, "rating", wanted_.rating);
    if (user_ == item_ || user_ == rating_ || item_ == rating_) {
      refuse(
          "user, item and rating must be three different columns. model.user, model.item and model.rating name them; "
          "one that is not named is called user, item or rating, or is the first, the second or the third");
    }
    if (names_.user == names_.item || names_.user == names_.rating || names_.item == names_.rating) {
      records_.fail("two columns have one name: new ratings could not be told by it");
    }
  }

  // What the parameters of a model ask for, or else what a new file does not have.
  [[noreturn]] void refuse(const std::string& cause) const {
    if (use_ == RatingsFor::predicting) records_.fail(cause);
    throw UsageError(fmt::format("{}:{}: {}", source().name(), records_.line(), cause));
  }

  std::size_t place_of(const std::vector<std::string>& header, const std::string& name, const std::string& usual,
                       std::size_t otherwise) const {
    const std::string& sought = name.empty() ? usual : name;
    const auto found = std::find(header.begin(), header.end(), sought);
    if (found == header.end()) return name.empty() && otherwise < width_ ? otherwise : nowhere;
    if (std::find(found + 1, header.end(), sought) != header.end()) {
      records_.fail(fmt::format("two columns are called '{}'", shown(sought)));
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
    if (wanted.empty()) fail_for_want_of_columns();
    refuse(fmt::format("there is no column '{}' for the {}; the first line, taken for a header, has {}", shown(wanted),
                       what, fmt::join(there, ", ")));
  }

  [[noreturn]] void fail_for_want_of_columns() const {
    records_.fail(fmt::format("user, item and rating are three columns, and there {} {}, separated by {}",
                              width_ == 1 ? "is" : "are", width_, delimiter_));
  }

  // Without a header: new ratings have the columns that were fitted, ratings to fit those that nobody has named.
  void take_first_columns() {
    user_ = 0;
    item_ = 1;
    rating_ = width_ > 2 ? 2 : nowhere;
    if (rating_ == nowhere && use_ == RatingsFor::fitting) fail_for_want_of_columns();
    names_ = names_without_header(wanted_, use_);
  }

  bool next_record() {
    if (!records_.next_filled()) return false;
    const std::size_t fields = records_.fields().size();
    if (fields != width_) fail_at_width(fields);
    return true;
  }

  [[noreturn]] void fail_at_width(std::size_t found) const {
    records_.fail(
        fmt::format("expected {} fields, found {}: as the first line, this is separated by {}; a field that "
                    "holds them is quoted",
                    width_, found, delimiter_));
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
  std::string_view delimiter_;  // in words
  RatingNames wanted_;
  RatingsFor use_;
  std::size_t width_ = 0, user_ = 0, item_ = 0, rating_ = 0;
  RatingNames names_;
};

}  // namespace

Table read_ratings(InputFile file, const RatingNames& wanted, RatingsFor use) {
  auto [head, whole] = peek(std::move(file), 1);
  const std::string_view line = first_line(head);
  const std::string name = whole.name();
  RatingRows rows(use == RatingsFor::fitting ? RatingRows::Missing::is_wrong : RatingRows::Missing::is_nan);
  RatingNames names = names_without_header(wanted, use);
  std::string hash;
  if (line.starts_with(matrix_market_mark)) {
    const auto add = [&rows](const MatrixEntry& entry) {
      rows.add(entry.row_text, entry.column_text, entry.value, entry.line);
    };
    hash = read_matrix_market(std::move(whole), {"ratings", "users are no items", {}, add});
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
