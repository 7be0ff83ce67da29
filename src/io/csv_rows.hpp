// The rows of a comma-separated table, one at a time: what is accepted and what is refused is decided here, for tables
// that are held in memory and for those that are packed alike. See csv.hpp for the dialect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/csv_records.hpp"

namespace quasar {

class CsvRows {
 public:
  explicit CsvRows(InputFile file);  // reads the header. DataError
  // The next row: one finite number per column. false at the end. DataError: a bad value, or no row at all.
  bool next(std::vector<double>& row);
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t line() const { return csv_.line(); }  // of the row last read
  const InputFile& source() const { return csv_.source(); }

 private:
  bool next_record();
  void parse(std::vector<double>& row) const;

  CsvRecords csv_;
  std::vector<std::string> names_;
  std::int64_t empty_line_ = 0;  // the first one met; 0: none
  bool any_ = false;
};

}  // namespace quasar
