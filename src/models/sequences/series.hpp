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

// A value that is NaN is missing. DataError: labels where numbers are needed, counts that are none, a column without
// any value, a sequence that comes back after another. UsageError: a name that no column has.
NamedSequences make_series(const Table& table, const SeriesSettings& settings);

}  // namespace quasar
