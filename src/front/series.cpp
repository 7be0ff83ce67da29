#include "front/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "diagnostics/wording.hpp"
#include "front/read_data.hpp"
#include "io/csv.hpp"
#include "io/field_text.hpp"
#include "io/packed_table.hpp"
#include "models/sequences/series.hpp"

namespace quasar {
namespace {

using Columns = std::vector<Index>;
using Names = std::vector<std::string>;

std::string quoted(const std::string& name) { return fmt::format("'{}'", shown(name)); }

// Of named columns those that are there; all must be.
void require_column(const std::string& source, const Names& there, const std::string& name, std::string_view flag) {
  if (std::ranges::find(there, name) != there.end()) return;
  const std::vector<std::string_view> candidates(there.begin(), there.end());
  throw UsageError(fmt::format("{}: {}: {}", flag, source, unknown_name("column", name, candidates)));
}

void require_columns(const std::string& source, const Names& there, const SeriesChoice& choice) {
  for (const std::string& name : choice.columns) require_column(source, there, name, "--column");
  if (!choice.sequence.empty()) require_column(source, there, choice.sequence, "--sequence");
  if (!choice.time.empty()) require_column(source, there, choice.time, "--time");
  std::set<std::string> seen;
  Names all = choice.columns;
  if (!choice.sequence.empty()) all.push_back(choice.sequence);
  if (!choice.time.empty()) all.push_back(choice.time);
  for (const std::string& name : all) {
    if (!seen.insert(name).second) throw UsageError(fmt::format("column {} is named twice", quoted(name)));
  }
}

CsvOptions csv_options(const std::string& path, const SeriesChoice& choice, const Names& header) {
  require_columns(path, header, choice);
  CsvOptions options{.all_may_be_missing = true, .advise = false};
  for (const std::string& name : {choice.sequence, choice.time}) {
    if (!name.empty()) options.categorical.push_back(name);
  }
  Names& values = choice.emission == Emission::categorical ? options.categorical : options.numbers;
  values.insert(values.end(), choice.columns.begin(), choice.columns.end());
  if (!choice.columns.empty()) {
    options.only = options.categorical;
    options.only.insert(options.only.end(), options.numbers.begin(), options.numbers.end());
  }
  return options;
}

std::optional<Index> place_of(const Table& table, const std::string& name) {
  const auto at = std::ranges::find(table.names, name);
  if (name.empty() || at == table.names.end()) return std::nullopt;
  return at - table.names.begin();
}

std::string label_in(const Table& table, Index row, Index column) {
  const double value = table.values(row, column);
  if (std::isnan(value)) return "";
  if (!table.has_labels(column)) return number_label(value);
  return table.levels[static_cast<std::size_t>(column)][static_cast<std::size_t>(value)];
}

[[noreturn]] void fail_at(const Table& table, Index row, const std::string& cause) {
  const auto at = static_cast<std::size_t>(row);
  if (table.lines.empty()) throw DataError(fmt::format("{}: row {}: {}", table.source, row + 1, cause));
  throw DataError(fmt::format("{}:{}: {}", table.source, table.lines[at], cause));
}

struct Chosen {
  Columns values;
  std::optional<Index> sequence, time;
  Names notes = {};
};

Columns named_columns(const Table& table, const SeriesChoice& choice) {
  Columns columns;
  for (const std::string& name : choice.columns) columns.push_back(*place_of(table, name));
  return columns;
}

std::string list_of(const Table& table, const Columns& columns) {
  Names names;
  for (const Index column : columns) names.push_back(quoted(table.names[static_cast<std::size_t>(column)]));
  return diagnostics::in_a_row(names, "and");
}

// A label for every point of a sequence, as dates are; labels that repeat are kinds of something.
bool names_points(const Table& table, Index column, Index sequences) {
  return std::ssize(table.levels[static_cast<std::size_t>(column)]) * sequences >= table.rows();
}

bool only_rises(const Table& table, Index column, const std::vector<Index>& starts) {
  const auto values = table.values.col(column);
  for (Index row = 1; row < values.size(); ++row) {
    if (!std::ranges::binary_search(starts, row) && !(values[row] > values[row - 1])) return false;
  }
  return values.size() > 2;
}

// The columns with numbers, and a word on those that are left out.
void choose_numbers(const Table& table, const std::vector<Index>& starts, Chosen& chosen) {
  Columns numbers, labels, empty, counting;
  for (Index column = 0; column < table.columns(); ++column) {
    if (column == chosen.sequence || column == chosen.time) continue;
    const bool none = table.values.col(column).array().isNaN().all();
    (table.has_labels(column) ? labels : none ? empty : numbers).push_back(column);
  }
  for (const Index column : numbers) {
    if (rises_in_equal_steps(table.values.col(column), starts)) counting.push_back(column);
  }
  if (counting.size() < numbers.size())
    std::erase_if(numbers, [&](Index c) { return std::ranges::count(counting, c) > 0; });
  else
    counting.clear();
  if (!chosen.time && counting.size() == 1) chosen.time = counting.front();
  const bool no_time = !chosen.time && counting.empty();
  if (no_time && labels.size() == 1 && names_points(table, labels.front(), std::ssize(starts))) {
    chosen.time = labels.front();
  }
  const auto left_out = [&](const Columns& columns, std::string_view why) {
    if (!columns.empty()) chosen.notes.push_back(fmt::format("{} {}", list_of(table, columns), why));
  };
  std::erase(labels, chosen.time.value_or(-1));
  if (chosen.time && counting.size() == 1 && chosen.time == counting.front()) {
    left_out(counting, "rises in equal steps and is taken for the time; --column names the columns to segment");
  } else {
    left_out(counting, "rise in equal steps and are left out; --column names the columns to segment");
  }
  left_out(labels, "hold labels, not numbers: left out; --sequence names a column that tells several series apart");
  if (no_time && !chosen.time && numbers.size() > 1) {
    for (const Index column : numbers) {
      if (only_rises(table, column, starts)) left_out({column}, "only rises: --time, if it says when");
    }
  }
  left_out(empty, "hold no value: left out");
  chosen.values = std::move(numbers);
}

void choose_categories(const Table& table, Chosen& chosen) {
  Columns labels;
  for (Index column = 0; column < table.columns(); ++column) {
    if (column != chosen.sequence && column != chosen.time && table.has_labels(column)) labels.push_back(column);
  }
  if (labels.size() != 1) {
    throw UsageError(fmt::format("{}: {} columns hold labels: --column names the one with the categories", table.source,
                                 labels.size()));
  }
  chosen.values = labels;
}

Chosen choose(const Table& table, const SeriesChoice& choice, const std::vector<Index>& starts) {
  Chosen chosen{named_columns(table, choice), place_of(table, choice.sequence), place_of(table, choice.time)};
  const bool categorical = choice.emission == Emission::categorical;
  if (chosen.values.empty()) {
    if (categorical)
      choose_categories(table, chosen);
    else
      choose_numbers(table, starts, chosen);
  }
  if (chosen.values.empty())
    throw DataError(
        fmt::format("{}: no column holds numbers; labels are segmented by --emission categorical", table.source));
  if (categorical && chosen.values.size() > 1)
    throw UsageError("--emission categorical takes one column of categories; name one by --column");
  return chosen;
}

Index first_missing(const Table& table, const Columns& columns, Index row) {
  for (const Index column : columns) {
    if (std::isnan(table.values(row, column))) return column;
  }
  return -1;
}

// The rows that stay, by what is to be done with missing values.
std::vector<Index> kept_rows(const Table& table, const Columns& columns, IfMissing if_missing) {
  std::vector<Index> kept;
  for (Index row = 0; row < table.rows(); ++row) {
    const Index missing = if_missing == IfMissing::keep ? -1 : first_missing(table, columns, row);
    if (missing < 0) {
      kept.push_back(row);
    } else if (if_missing == IfMissing::error) {
      fail_at(
          table, row,
          fmt::format(
              "column {}: the value is missing; --missing keep takes it for a gap, --missing drop leaves the row out",
              quoted(table.names[static_cast<std::size_t>(missing)])));
    }
  }
  if (kept.empty()) throw DataError(fmt::format("{}: every row has a missing value", table.source));
  return kept;
}

SeriesTable series_of(const Table& table, const SeriesChoice& choice) {
  const std::optional<Index> sequence = place_of(table, choice.sequence);
  const std::vector<Index> starts =
      sequence ? sequence_starts(table, *sequence, table.values.col(*sequence)) : std::vector<Index>{0};
  const Chosen chosen = choose(table, choice, starts);
  const bool categorical = choice.emission == Emission::categorical;
  SeriesTable series{.source = table.source, .columns = {}, .data = {}, .notes = chosen.notes};
  for (const Index column : chosen.values) series.columns.push_back(table.names[static_cast<std::size_t>(column)]);
  Mat values;
  if (categorical) {
    const Index column = chosen.values.front();
    Categories categories = categories_of(table, column, table.values.col(column));
    values = std::move(categories.points);
    series.categories = std::move(categories.names);
  } else {
    values = table.values(Eigen::all, chosen.values).transpose();
  }
  const std::vector<Index> kept = kept_rows(table, chosen.values, choice.missing);
  series.data.values = values(Eigen::all, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Index row = kept[i];
    series.rows.push_back(row + 1);
    if (!table.lines.empty()) series.lines.push_back(table.lines[static_cast<std::size_t>(row)]);
    if (chosen.time) series.times.push_back(label_in(table, row, *chosen.time));
    const bool begins = i == 0 || (sequence && table.values(row, *sequence) != table.values(kept[i - 1], *sequence));
    if (begins && i > 0) series.data.starts.push_back(static_cast<Index>(i));
    if (begins && sequence) series.sequences.push_back(label_in(table, row, *sequence));
  }
  if (sequence) series.sequence_column = choice.sequence;
  if (chosen.time) series.time_column = table.names[static_cast<std::size_t>(*chosen.time)];
  if (kept.size() < static_cast<std::size_t>(table.rows())) {
    series.notes.push_back(fmt::format("{} of {} rows have missing values and are left out",
                                       static_cast<std::size_t>(table.rows()) - kept.size(), table.rows()));
  }
  return series;
}

// What a number must not be, or nothing.
std::string_view problem_of(double value, Emission emission) {
  if (std::isinf(value)) return "is not finite";
  if (emission == Emission::normal && std::abs(value) > largest_value) return "is too large to be squared";
  if (emission != Emission::poisson) return "";
  if (value < 0 || value != std::floor(value))
    return "is not a count: --emission poisson is for the whole numbers 0, 1, 2, ...";
  return value > 1e15 ? "is too large a count" : "";
}

}  // namespace

Index SeriesTable::missing() const {
  const Index values = data.values.array().isNaN().count();
  return categories.empty() ? values : values / data.dim();
}

SeriesTable read_series(const std::string& path, const SeriesChoice& choice) {
  if (is_packed_table(path)) {
    const Table table = in_memory(open_packed_table(path));
    require_columns(path, table.names, choice);
    return series_of(table, choice);
  }
  const auto options = [&](const Names& header) { return csv_options(path, choice, header); };
  return series_of(read_csv(InputFile(path), options), choice);
}

void check_series(const SeriesTable& series, Emission emission) {
  const Mat& values = series.data.values;
  if (values.size() == 0) throw DataError(fmt::format("{}: there is no value at all", series.source));
  const auto column = [&](Index row) {
    return quoted(series.columns[series.categories.empty() ? static_cast<std::size_t>(row) : 0]);
  };
  for (Index row = 0; row < values.rows(); ++row) {
    if (values.row(row).array().isNaN().all()) {
      throw DataError(fmt::format("{}: column {} holds no value: all are missing", series.source, column(row)));
    }
  }
  for (Index t = 0; t < values.cols(); ++t) {
    for (Index row = 0; row < values.rows(); ++row) {
      const std::string_view problem = problem_of(values(row, t), emission);
      if (problem.empty()) continue;
      const auto at = static_cast<std::size_t>(t);
      const std::string where = series.lines.empty() ? fmt::format("{}: point {}", series.source, series.rows[at])
                                                     : fmt::format("{}:{}", series.source, series.lines[at]);
      throw DataError(fmt::format("{}: column {}: {} {}", where, column(row), number_label(values(row, t)), problem));
    }
  }
}

}  // namespace quasar
