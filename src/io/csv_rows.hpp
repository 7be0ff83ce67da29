// The rows of a comma-separated table, one at a time: what is accepted and what is refused is decided here, for tables
// that are held in memory and for those that are packed alike. See csv.hpp for the dialect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>

#include "io/csv_labels.hpp"
#include "io/csv_records.hpp"

namespace quasar {

struct CsvOptions {
  std::vector<std::string> categorical = {};  // columns whose values are labels, numbers or not
  std::vector<std::string> numbers = {};      // columns whose values are numbers; of others, the first value tells
  std::string may_be_missing = {};            // a column where a missing value is NaN
  bool all_may_be_missing = false;            // the same of every column
  std::vector<std::string> only = {};         // these columns alone, in the order of the file; empty: all of them
  bool drop_missing = false;                  // leave a row out in which a value is missing; otherwise it is an error
  bool advise = true;                         // messages name the parameters of a model that would help
  std::string on_missing = "model.missing=drop leaves such rows out";  // what such a message advises; empty: nothing
};

// Of the record last read, a header. DataError: all of them numbers, one empty, twice or not UTF-8.
std::vector<std::string> column_names(const CsvRecords& csv);

class CsvRows {
 public:
  explicit CsvRows(InputFile file);        // reads the header. DataError
  void choose(const CsvOptions& options);  // before the first row; without it all columns hold numbers
  // The next row: one finite number per column, the number of a label, or NaN where a value may be missing. false at
  // the end. DataError: a bad value, or no row at all.
  bool next(std::vector<double>& row);

  const std::vector<std::string>& header() const { return header_; }
  std::vector<std::string> names() const;  // of the columns that were chosen
  std::vector<Index> places() const;       // in the file, where not all were chosen
  const CsvLabels& labels(Index column) const { return columns_[static_cast<std::size_t>(column)].labels; }
  Index dropped() const { return dropped_; }
  std::int64_t line() const { return csv_.line(); }  // of the row last read
  const InputFile& source() const { return csv_.source(); }

 private:
  enum class Holds { numbers, labels, unknown, anything };  // unknown: before the first row; anything is a label
  struct Column {
    std::size_t place;
    Holds holds = Holds::numbers;
    bool may_be_missing = false;
    std::int64_t known_since = 0;  // line of the value that told numbers from labels
    CsvLabels labels = {};
  };
  bool next_record();
  bool lacks_a_value() const;
  double value(Column& column, std::string_view text);
  double number(const Column& column, std::string_view text) const;
  double label(Column& column, std::string_view text);
  std::string advice(const Column& column) const;
  [[noreturn]] void fail_missing(const Column& column, std::string_view text) const;
  [[noreturn]] void fail(const Column& column, const std::string& cause) const;

  CsvRecords csv_;
  std::vector<std::string> header_;
  std::vector<Column> columns_;
  bool drop_missing_ = false, advise_ = false;
  std::string on_missing_;
  Index dropped_ = 0;
  bool any_ = false;
};

}  // namespace quasar
