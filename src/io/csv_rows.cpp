#include "io/csv_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <quasar/errors.hpp>

#include "core/parse_number.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

ParsedNumber parse_finite(std::string_view text) {
  text = trim_blanks(text);
  if (text.empty()) return {.problem = "is missing"};
  const ParsedNumber parsed = parse_number(text);
  if (!std::isfinite(parsed.value)) return {.problem = "is not finite"};
  return parsed;
}

// A field as a message can show it: short, without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t max_shown = 40;
  const std::string out = printable(std::string(text.substr(0, max_shown)));
  return text.size() > max_shown ? out + "..." : out;
}

bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();  // refuses text that is not UTF-8
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string shown_value(std::string_view text) {
  return trim_blanks(text).empty() ? "the value" : fmt::format("'{}'", shown(text));
}

std::string shown_column(std::size_t index, std::string_view name) {
  return fmt::format("column {} ('{}')", index + 1, shown(name));
}

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

}  // namespace

CsvRows::CsvRows(InputFile file) : csv_(std::move(file)) {
  if (!csv_.next()) throw DataError(fmt::format("{}: the file is empty", source().name()));
  if (csv_.blank()) csv_.fail("the first line is empty: a header line with the names of the columns is required");
  names_ = column_names(csv_);
}

bool CsvRows::next(std::vector<double>& row) {
  if (!next_record()) {
    if (!any_) throw DataError(fmt::format("{}: a header but no rows", source().name()));
    return false;
  }
  parse(row);
  any_ = true;
  return true;
}

// Empty lines are allowed at the end only, where editors leave them.
bool CsvRows::next_record() {
  while (csv_.next()) {
    if (!csv_.blank()) {
      if (empty_line_ > 0) csv_.fail(fmt::format("line {} is empty, yet the table goes on", empty_line_));
      return true;
    }
    if (empty_line_ == 0) empty_line_ = csv_.line();
  }
  return false;
}

void CsvRows::parse(std::vector<double>& row) const {
  const auto fields = csv_.fields();
  if (fields.size() != names_.size()) {
    csv_.fail(fmt::format("expected {} fields, found {}", names_.size(), fields.size()));
  }
  row.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [value, problem] = parse_finite(fields[i]);
    if (!problem.empty())
      csv_.fail(fmt::format("{}: {} {}", shown_column(i, names_[i]), shown_value(fields[i]), problem));
    row.push_back(value);
  }
}

}  // namespace quasar
