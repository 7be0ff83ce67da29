// quasar/table.hpp -- named columns of numbers or labels. Where they came from is the business of io.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct ColumnSummary {  // over all rows: what models ask of a column before they read it
  double mean = 0;
  double squares = 0;  // the sum of squared deviations from the mean
  double min = 0, max = 0;
  Index first_not_binary = 0;  // the first row whose value is neither 0 nor 1; the number of rows: there is none
};

// Rows that are not in memory. Every thread may ask at any time.
struct RowSource {
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;
  virtual void read(Index begin, Index count, double* to) const = 0;  // row after row
  virtual void announce(Index begin, Index count) const = 0;          // they will be read soon, and may be fetched now
};

struct Table {
  std::string source;              // for messages: a file name, or "memory"
  std::vector<std::string> names;  // one per column
  Mat values;  // rows x columns, finite (NaN: a response that is not observed); empty where they are stored
  std::vector<std::int64_t> lines;  // line in the source of each row; empty: no lines
  std::string content_hash = {};    // of the source's bytes: tells two versions of a data set apart; empty: no source
  std::shared_ptr<const RowSource> stored = {};  // the rows, where they are not in `values`
  std::vector<ColumnSummary> summaries = {};     // of stored rows, so that opening a table need not read it
  // Of each column its labels, which its values number from 0; an empty list: the values are numbers. All columns hold
  // numbers where there is no list at all.
  std::vector<std::vector<std::string>> levels = {};
  std::vector<Index> places = {};   // of the columns in the source, from 0, where not all of its columns were read
  Index dropped = 0;                // rows of the source that were left out, because a value is missing
  std::vector<Index> numbers = {};  // of each row in the source, from 1, where some were left out; empty: 1, 2, ...
  std::shared_ptr<const Table> dictionary = {};  // a matrix in a file of its own, which the model's parameters name

  Index rows() const { return stored ? stored->rows() : values.rows(); }
  Index columns() const { return stored ? std::ssize(names) : values.cols(); }
  bool has_labels(Index column) const { return !levels.empty() && !levels[static_cast<std::size_t>(column)].empty(); }
};

}  // namespace quasar
