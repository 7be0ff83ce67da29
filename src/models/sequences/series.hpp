// A table as sequences of points: which of its columns, and where one sequence ends and the next begins.
#pragma once

#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/table.hpp>

#include "models/sequences/sequences.hpp"

namespace quasar {

struct SeriesSettings {
  std::string columns = {};   // names between commas; empty: all that hold numbers, of categories the only one
  std::string sequence = {};  // the column that tells one sequence from the next; empty: there is one sequence
  Emission emission = Emission::normal;
};

struct NamedSequences {
  Sequences data;
  std::vector<std::string> names;  // of the values of a point: columns, or the categories of the one that there is
};

// The parameters `columns`, `sequence` and `emission`, which models of series have.
bool is_of_series(const Config& parameters);
SeriesSettings series_settings(const Config& parameters);

struct SeriesColumns {
  std::vector<Index> values, labels;  // in the order of the table; `labels` are to be read as such, numbers or not
};
SeriesColumns series_columns(const std::string& source, const std::vector<std::string>& names,
                             const SeriesSettings& settings);  // UsageError

// Where each sequence begins, by the values of a column. DataError: one is missing, or a sequence comes back after
// another.
std::vector<Index> sequence_starts(const Table& table, Index column, In values);

bool rises_in_equal_steps(In values, const std::vector<Index>& starts);  // within each sequence, as the time does

struct Categories {
  std::vector<std::string> names;
  Mat points;  // a column for every row: the indicator of its category, NaN where it is missing
};
Categories categories_of(const Table& table, Index column, In values);  // labels, or whole numbers. DataError

// A value that is NaN is missing. DataError: labels where numbers are needed, counts that are none, a column without
// any value, a sequence that comes back after another. UsageError: a name that no column has.
NamedSequences make_series(const Table& table, const SeriesSettings& settings);

}  // namespace quasar
