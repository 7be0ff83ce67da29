// Time series as users have them: columns of a table, of one or several sequences, with gaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/sequences/sequences.hpp"

namespace quasar {

enum class IfMissing { keep, drop, error };  // drop: the whole row

struct SeriesChoice {
  Emission emission = Emission::normal;
  std::vector<std::string> columns = {};  // empty: all that hold numbers and do not count the rows
  std::string sequence = {};              // the column that tells sequences apart; empty: there is one
  std::string time = {};                  // the column whose values name the points; empty: their rows do
  IfMissing missing = IfMissing::keep;
};

// What is to be segmented, and what its parts are called.
struct SeriesTable {
  std::string source;                        // for messages
  std::vector<std::string> columns;          // that were chosen; of categories: one
  std::vector<std::string> categories = {};  // what the rows of `data` stand for, where points are categories
  Sequences data;
  std::vector<Index> rows = {};             // of each point in the source, from 1
  std::vector<std::int64_t> lines = {};     // likewise; empty: no lines
  std::string sequence_column = {};         // empty: one sequence
  std::vector<std::string> sequences = {};  // the name of each
  std::string time_column = {};             // empty: none
  std::vector<std::string> times = {};      // of each point
  std::vector<std::string> notes = {};      // for the user

  Index missing() const;  // values; of categories: points
};

// CSV or packed. DataError, UsageError: a column that is not there
SeriesTable read_series(const std::string& path, const SeriesChoice& choice);

// DataError: values that the emissions cannot have, a column without any, or numbers too large to be squared.
void check_series(const SeriesTable& series, Emission emission);

}  // namespace quasar
