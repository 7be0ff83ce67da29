// Means, squares and ranges of the columns of a table, from two passes over its rows. One order of summation for rows
// in memory and in files: what is standardised by them has the same bits from both.
#pragma once

#include <span>
#include <vector>

#include <quasar/table.hpp>

namespace quasar {

// A sum of rows in chunks: its rounding error grows with rows / 1024, not with rows.
class RowSum {
 public:
  explicit RowSum(Index columns) : total_(Vec::Zero(columns)), chunk_(Vec::Zero(columns)) {}

  template <class Row>
  void add(const Row& row) {
    constexpr Index chunk_rows = 1024;
    chunk_ += row.matrix();
    if (++in_chunk_ < chunk_rows) return;
    total_ += chunk_;
    chunk_.setZero();
    in_chunk_ = 0;
  }
  Vec value() const { return total_ + chunk_; }

 private:
  Vec total_, chunk_;
  Index in_chunk_ = 0;
};

class ColumnSummaries {
 public:
  explicit ColumnSummaries(Index columns);
  void add(std::span<const double> rows);          // the first pass: row after row, whole rows, in any pieces
  void add_squares(std::span<const double> rows);  // the second pass, over the same rows
  std::vector<ColumnSummary> result() const;
  Index rows() const { return rows_; }

 private:
  void note_not_binary(const Eigen::Ref<const Vec>& row);

  Index rows_ = 0;
  RowSum sum_, squares_;
  Vec mean_, min_, max_;
  std::vector<Index> first_not_binary_;  // -1: none so far
};

void read_rows(const Table& table, Index begin, Index count, double* to);  // row after row, wherever they are
std::vector<ColumnSummary> column_summaries(const Table& table);

}  // namespace quasar
