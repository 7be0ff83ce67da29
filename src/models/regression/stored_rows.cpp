#include "models/regression/stored_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quasar {

namespace {

constexpr Index bytes_per_run = Index{1} << 20;
constexpr Index bytes_per_gap = 4096;  // a page: reading across it costs less than another call

Index rows_in(Index bytes, Index columns) {
  return std::max<Index>(1, bytes / (columns * static_cast<Index>(sizeof(double))));
}

}  // namespace

StoredRows::StoredRows(std::shared_ptr<const RowSource> source, Index columns)
    : source_(std::move(source)),
      columns_(columns),
      run_rows_(std::min(rows_in(bytes_per_run, columns_), source_->rows())),
      gap_(rows_in(bytes_per_gap, columns_)),
      run_(run_rows_ * columns_),
      picked_(block_rows * columns_) {}

Index StoredRows::hold(Index row, Index end_of_range) {
  if (row < held_begin_ || row >= held_end_) {
    const Index rows = std::min(run_rows_, end_of_range - row);
    read_run(row, rows);
    const Index next = std::min(rows, source_->rows() - held_end_);
    if (next > 0) source_->announce(held_end_, next);
  }
  return held_end_ - row;
}

std::span<const double> StoredRows::values(Index row, Index count) const {
  return {run_.data() + (row - held_begin_) * columns_, static_cast<std::size_t>(count * columns_)};
}

std::span<const double> StoredRows::pick(std::span<const Index> ids) {
  sort(ids);
  for (std::size_t k = 0; k < ids.size();) {
    const Run run = next_run(ids, k);
    read_run(run.begin, run.rows);
    for (const std::size_t end = k + run.ids; k < end; ++k) {
      const Index place = order_[k];
      const auto row = values(ids[static_cast<std::size_t>(place)], 1);
      std::copy(row.begin(), row.end(), picked_.data() + place * columns_);
    }
  }
  return {picked_.data(), ids.size() * static_cast<std::size_t>(columns_)};
}

void StoredRows::announce(std::span<const Index> ids) {
  each_block(ids, [this](std::span<const Index> now) {
    sort(now);
    for (std::size_t k = 0; k < now.size();) {
      const Run run = next_run(now, k);
      source_->announce(run.begin, run.rows);
      k += run.ids;
    }
  });
}

void StoredRows::sort(std::span<const Index> ids) {
  const auto end = order_.begin() + std::ssize(ids);
  std::iota(order_.begin(), end, Index{0});
  std::sort(order_.begin(), end,
            [ids](Index a, Index b) { return ids[static_cast<std::size_t>(a)] < ids[static_cast<std::size_t>(b)]; });
}

StoredRows::Run StoredRows::next_run(std::span<const Index> ids, std::size_t from) const {
  const auto row = [&](std::size_t k) { return ids[static_cast<std::size_t>(order_[k])]; };
  std::size_t end = from + 1;
  while (end < ids.size() && row(end) - row(end - 1) <= gap_ && row(end) - row(from) < run_rows_) ++end;
  return {row(from), row(end - 1) - row(from) + 1, end - from};
}

void StoredRows::read_run(Index begin, Index rows) {
  held_begin_ = held_end_ = 0;  // in case reading fails half-way
  source_->read(begin, rows, run_.data());
  held_begin_ = begin;
  held_end_ = begin + rows;
}

}  // namespace quasar
