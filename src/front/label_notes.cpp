#include "front/label_notes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/labels.hpp"
#include "io/field_text.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/formula.hpp"

namespace quasar {
namespace {

using Names = std::vector<std::string>;

// "0,5": in a file whose fields are quoted.
bool is_decimal_comma(std::string_view label) {
  const std::size_t comma = label.find(',');
  if (comma == std::string_view::npos) return false;
  std::string with_point(label);
  with_point[comma] = '.';
  return number_in(with_point).has_value();
}

bool are_decimal_commas(const Names& labels) { return std::ranges::all_of(labels, is_decimal_comma); }

std::string columns_named(const Names& names) {
  return fmt::format("{} {}", names.size() == 1 ? "column" : "columns", shown_list(names));
}

void note_on_many_labels(const Formula& formula, Index rows, Names& notes) {
  Names names;
  for (const FormulaColumn& column : formula.columns) {
    if (2 * std::ssize(column.levels) > rows && !are_decimal_commas(column.levels)) names.push_back(column.name);
  }
  if (names.empty()) return;
  notes.push_back(fmt::format(
      "{}: more than half as many labels as rows, each with coefficients of its own; leave names, dates and "
      "identifiers out by model.predictors",
      columns_named(names)));
}

void note_on_decimal_commas(const Formula& formula, Names& notes) {
  Names names;
  for (const FormulaColumn& column : formula.columns) {
    if (!column.levels.empty() && are_decimal_commas(column.levels)) names.push_back(column.name);
  }
  if (names.empty()) return;
  notes.push_back(
      fmt::format("{}: numbers with decimal commas, taken as labels; write them with points", columns_named(names)));
}

void note_on_gaps(const Formula& formula, Names& notes) {
  for (const FormulaColumn& column : formula.columns) {
    const auto gap = std::ranges::find_if(column.levels, may_mean_missing);
    if (gap == column.levels.end()) continue;
    notes.push_back(
        fmt::format("column '{}': '{}' is taken as a label; where a value is missing leave the field empty or write NA",
                    shown(column.name), *gap));
  }
}

void note_on_one_class(const Formula& formula, const Table& table, Names& notes) {
  if (formula.response != Response::binary || !formula.target.levels.empty()) return;
  const auto column = std::ranges::find(table.names, formula.target.name) - table.names.begin();
  double first = std::nan("");
  const Index other = first_row(table, column, [&](double value) {
    if (std::isnan(first)) first = value;
    return value != first;
  });
  if (other < table.rows()) return;
  notes.push_back(fmt::format("the response '{}' is {} in every row: the data cannot say what tells 0 from 1",
                              shown(formula.target.name), first));
}

}  // namespace

Names label_notes(const Table& table, const ConstantData& kept) {
  Names notes;
  if (!Formula::is_kept_in(kept)) return notes;
  const Formula formula = Formula::kept_in(kept);
  note_on_many_labels(formula, table.rows(), notes);
  note_on_decimal_commas(formula, notes);
  note_on_gaps(formula, notes);
  note_on_one_class(formula, table, notes);
  return notes;
}

}  // namespace quasar
