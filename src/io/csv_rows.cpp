#include "io/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <quasar/errors.hpp>

#include "io/field_text.hpp"

namespace quasar {
namespace {

std::string shown_column(std::size_t index, std::string_view name) {
  return fmt::format("column {} ('{}')", index + 1, shown(name));
}

}  // namespace

std::vector<std::string> column_names(const CsvRecords& csv) {
  std::vector<std::string> names;
  for (const std::string& field : csv.fields()) names.emplace_back(trim_blanks(field));
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return parse_finite(name).problem.empty(); })) {
    csv.fail("every name in the header is a number: a header line with the names of the columns is required");
  }
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) csv.fail(fmt::format("column {} has no name", i + 1));
    if (!is_utf8(names[i])) csv.fail(fmt::format("the name of column {} is not UTF-8 text", i + 1));
    const auto [same, is_new] = first.emplace(names[i], i);
    if (!is_new) csv.fail(fmt::format("{} repeats the name of column {}", shown_column(i, names[i]), same->second + 1));
  }
  return names;
}

CsvRows::CsvRows(InputFile file) : csv_(std::move(file)) {
  if (!csv_.next()) throw DataError(fmt::format("{}: the file is empty", source().name()));
  if (csv_.blank()) csv_.fail("the first line is empty: a header line with the names of the columns is required");
  header_ = column_names(csv_);
  for (std::size_t i = 0; i < header_.size(); ++i) columns_.push_back({.place = i});
}

void CsvRows::choose(const CsvOptions& options) {
  using Names = std::unordered_set<std::string_view>;
  const Names only(options.only.begin(), options.only.end());
  const Names numbers(options.numbers.begin(), options.numbers.end());
  const Names categorical(options.categorical.begin(), options.categorical.end());
  columns_.clear();
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (!only.empty() && !only.contains(header_[i])) continue;
    columns_.push_back({.place = i,
                        .holds = categorical.contains(header_[i]) ? Holds::anything
                                 : numbers.contains(header_[i])   ? Holds::numbers
                                                                  : Holds::unknown,
                        .may_be_missing = options.all_may_be_missing || header_[i] == options.may_be_missing});
  }
  drop_missing_ = options.drop_missing;
  advise_ = options.advise;
  on_missing_ = options.on_missing;
}

std::vector<std::string> CsvRows::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(header_[column.place]);
  return names;
}

std::vector<Index> CsvRows::places() const {
  std::vector<Index> places;
  if (columns_.size() == header_.size()) return places;
  for (const Column& column : columns_) places.push_back(static_cast<Index>(column.place));
  return places;
}

bool CsvRows::next(std::vector<double>& row) {
  while (next_record()) {
    if (drop_missing_ && lacks_a_value()) {
      ++dropped_;
      continue;
    }
    const auto fields = csv_.fields();
    row.clear();
    for (Column& column : columns_) row.push_back(value(column, trim_blanks(fields[column.place])));
    any_ = true;
    return true;
  }
  if (!any_) {
    throw DataError(fmt::format("{}: {}", source().name(),
                                dropped_ > 0 ? "every row has a missing value" : "a header but no rows"));
  }
  return false;
}

bool CsvRows::next_record() {
  if (!csv_.next_filled()) return false;
  const std::size_t fields = csv_.fields().size();
  if (fields != header_.size()) csv_.fail(fmt::format("expected {} fields, found {}", header_.size(), fields));
  return true;
}

bool CsvRows::lacks_a_value() const {
  const auto fields = csv_.fields();
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
    return !column.may_be_missing && is_missing(trim_blanks(fields[column.place]));
  });
}

// The first value decides what a column holds; one that is missing ends it all, unless it may be.
double CsvRows::value(Column& column, std::string_view text) {
  if (column.may_be_missing && is_missing(text)) return std::numeric_limits<double>::quiet_NaN();
  if (column.holds == Holds::unknown && !is_missing(text)) {
    column.holds = is_number(text) ? Holds::numbers : Holds::labels;
    column.known_since = line();
  }
  return column.holds == Holds::numbers ? number(column, text) : label(column, text);
}

double CsvRows::number(const Column& column, std::string_view text) const {
  const auto [value, problem] = parse_finite(text);
  if (problem.empty()) return value;
  if (is_missing(text)) fail_missing(column, text);
  const std::string cause = fmt::format("'{}' {}", shown(text), problem);
  if (may_mean_missing(text)) fail(column, cause + "; a missing value is an empty field or NA");
  fail(column, problem == not_a_number ? cause + advice(column) : cause);
}

double CsvRows::label(Column& column, std::string_view text) {
  if (is_missing(text)) fail_missing(column, text);
  if (column.holds == Holds::labels && is_number(text)) {
    std::string cause = fmt::format("'{}' is a number where line {} has a label", shown(text), column.known_since);
    fail(column, cause + advice(column));
  }
  const std::size_t known = column.labels.size();
  const double number = column.labels.number(text);
  if (column.labels.size() > known && !is_utf8(std::string(text))) fail(column, "the label is not UTF-8 text");
  return number;
}

std::string CsvRows::advice(const Column& column) const {
  if (!advise_) return "";
  return fmt::format("; if the values are labels, set model.categorical={}", shown(header_[column.place]));
}

void CsvRows::fail_missing(const Column& column, std::string_view text) const {
  std::string cause = text.empty() ? "the value is missing" : fmt::format("'{}' is a missing value", text);
  if (!on_missing_.empty()) cause += "; " + on_missing_;
  fail(column, cause);
}

void CsvRows::fail(const Column& column, const std::string& cause) const {
  csv_.fail(fmt::format("{}: {}", shown_column(column.place, header_[column.place]), cause));
}

}  // namespace quasar
