#include "core/column_summaries.hpp"

#include <algorithm>
#include <limits>

namespace quasar {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Use>
void each_row(std::span<const double> rows, Index columns, Use&& use) {
  for (; !rows.empty(); rows = rows.subspan(static_cast<std::size_t>(columns))) {
    use(Eigen::Map<const Vec>(rows.data(), columns));
  }
}

template <class Use>
void each_piece(const Table& table, Use&& use) {
  constexpr Index piece_rows = 128;
  std::vector<double> buffer(static_cast<std::size_t>(piece_rows * table.columns()));
  for (Index begin = 0; begin < table.rows(); begin += piece_rows) {
    const Index count = std::min(piece_rows, table.rows() - begin);
    read_rows(table, begin, count, buffer.data());
    use(std::span<const double>(buffer.data(), static_cast<std::size_t>(count * table.columns())));
  }
}

}  // namespace

ColumnSummaries::ColumnSummaries(Index columns)
    : sum_(columns),
      squares_(columns),
      min_(Vec::Constant(columns, std::numeric_limits<double>::infinity())),
      max_(-min_),
      first_not_binary_(static_cast<std::size_t>(columns), -1) {}

void ColumnSummaries::add(std::span<const double> rows) {
  each_row(rows, min_.size(), [this](const auto& row) {
    sum_.add(row);
    min_ = min_.cwiseMin(row);
    max_ = max_.cwiseMax(row);
    note_not_binary(row);
    ++rows_;
  });
}

void ColumnSummaries::note_not_binary(const Eigen::Ref<const Vec>& row) {
  for (Index j = 0; j < row.size(); ++j) {
    Index& first = first_not_binary_[static_cast<std::size_t>(j)];
    if (first < 0 && row[j] != 0 && row[j] != 1) first = rows_;
  }
}

void ColumnSummaries::add_squares(std::span<const double> rows) {
  if (mean_.size() == 0) mean_ = sum_.value() / static_cast<double>(rows_);
  each_row(rows, mean_.size(), [this](const auto& row) { squares_.add((row - mean_).array().square()); });
}

std::vector<ColumnSummary> ColumnSummaries::result() const {
  std::vector<ColumnSummary> summaries;
  const Vec squares = squares_.value();
  for (Index j = 0; j < squares.size(); ++j) {
    const Index first = first_not_binary_[static_cast<std::size_t>(j)];
    summaries.push_back({mean_[j], squares[j], min_[j], max_[j], first < 0 ? rows_ : first});
  }
  return summaries;
}

void read_rows(const Table& table, Index begin, Index count, double* to) {
  if (table.stored) {
    table.stored->read(begin, count, to);
  } else {
    Eigen::Map<RowMajor>(to, count, table.columns()) = table.values.middleRows(begin, count);
  }
}

std::vector<ColumnSummary> column_summaries(const Table& table) {
  if (!table.summaries.empty()) return table.summaries;
  ColumnSummaries summaries(table.columns());
  each_piece(table, [&](std::span<const double> rows) { summaries.add(rows); });
  each_piece(table, [&](std::span<const double> rows) { summaries.add_squares(rows); });
  return summaries.result();
}

}  // namespace quasar
