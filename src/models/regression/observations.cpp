#include "models/regression/observations.hpp"

#include "core/column_summaries.hpp"

namespace quasar {

Observations::Observations(const Table& table, Index column)
    : size_(table.rows()),
      column_(column),
      columns_(table.columns()),
      summary_(column_summaries(table)[static_cast<std::size_t>(column)]),
      deviations_(block_rows) {
  if (table.stored) {
    stored_.emplace(table.stored, columns_);
  } else {
    values_ = std::make_shared<const Vec>(table.values.col(column));
  }
}

void Observations::load(Index begin, Index count, Index end_of_range) {
  if (!stored_) {
    deviations_.head(count) = values_->segment(begin, count).array() - mean();
    return;
  }
  stored_->take(begin, count, end_of_range, [this](std::span<const double> values, Index done) {
    take_rows(values, deviations_.tail(block_rows - done));
  });
}

void Observations::gather(std::span<const Index> ids) {
  if (stored_) {
    take_rows(stored_->pick(ids), deviations_);
    return;
  }
  for (std::size_t k = 0; k < ids.size(); ++k) deviations_[static_cast<Index>(k)] = (*values_)[ids[k]] - mean();
}

void Observations::take_rows(std::span<const double> values, Out deviations) const {
  for (Index i = 0, at = column_; at < std::ssize(values); ++i, at += columns_) {
    deviations[i] = values[static_cast<std::size_t>(at)] - mean();
  }
}

void Observations::prefetch(std::span<const Index> ids) {
  if (stored_) stored_->announce(ids);
}

}  // namespace quasar
