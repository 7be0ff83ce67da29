#include "io/csv.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <quasar/errors.hpp>

#include "core/parse_number.hpp"
#include "io/csv_records.hpp"
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

void append_row(const CsvRecords& csv, const std::vector<std::string>& names, std::vector<double>& values) {
  const auto fields = csv.fields();
  if (fields.size() != names.size()) {
    csv.fail(fmt::format("expected {} fields, found {}", names.size(), fields.size()));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [value, problem] = parse_finite(fields[i]);
    if (!problem.empty())
      csv.fail(fmt::format("{}: {} {}", shown_column(i, names[i]), shown_value(fields[i]), problem));
    values.push_back(value);
  }
}

}  // namespace

Table read_csv(const std::filesystem::path& path) { return read_csv(InputFile(path)); }

Table read_csv(InputFile file) {
  CsvRecords csv(std::move(file));
  if (!csv.next()) throw DataError(fmt::format("{}: the file is empty", csv.source().name()));
  if (csv.blank()) csv.fail("the first line is empty: a header line with the names of the columns is required");
  Table table{.source = csv.source().name(), .names = column_names(csv), .values = {}, .lines = {}};

  std::vector<double> values;  // row by row
  std::int64_t empty_line = 0;
  while (csv.next()) {
    if (csv.blank()) {  // allowed at the end only, where editors leave them
      if (empty_line == 0) empty_line = csv.line();
      continue;
    }
    if (empty_line > 0) csv.fail(fmt::format("line {} is empty, yet the table goes on", empty_line));
    append_row(csv, table.names, values);
    table.lines.push_back(csv.line());
  }
  if (table.lines.empty()) throw DataError(fmt::format("{}: a header but no rows", table.source));

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  table.values = Eigen::Map<const RowMajor>(values.data(), std::ssize(table.lines), std::ssize(table.names));
  table.content_hash = csv.source().content_hash();
  return table;
}

}  // namespace quasar
