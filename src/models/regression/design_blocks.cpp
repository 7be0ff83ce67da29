#include "models/regression/design_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace quasar {

DesignBlocks::DesignBlocks(std::shared_ptr<const Design> design)
    : design_(std::move(design)),
      x_(block_rows, design_->coefficients()),
      y_(block_rows),
      group_(design_->groups().empty() ? 0 : block_rows) {
  if (design_->stored()) stored_.emplace(design_->stored(), design_->table_columns());
}

// BLAS may round differently where rows begin between two vectors. Copies never do: so the rows are copied then, and a
// table gives the same bits in memory and from a file.
DesignBlocks::Rows DesignBlocks::in_memory(Index begin, Index count) {
  constexpr std::uintptr_t vector_bytes = 16;  // what Eigen aligns memory to
  const auto rows = design_->x().middleRows(begin, count);
  if (reinterpret_cast<std::uintptr_t>(rows.data()) % vector_bytes == 0) return rows;
  x_.topRows(count) = rows;
  return x_.topRows(count);
}

void DesignBlocks::load(Index begin, Index count, Index end_of_range) {
  stored_->take(begin, count, end_of_range, [this](std::span<const double> values, Index done) {
    const auto group = group_.empty() ? std::span<Index>() : std::span(group_).subspan(static_cast<std::size_t>(done));
    design_->take_rows(values, x_.bottomRows(block_rows - done), y_.tail(block_rows - done), group);
  });
}

// Rows picked at random are never in the nearest cache: asked for while the block before them is worked on, they arrive
// in time.
void DesignBlocks::fetch(std::span<const Index> ids) const {
  constexpr Index line = 64 / sizeof(double);
  const Index width = design_->coefficients();
  for (const Index row : ids) {
    const double* values = design_->x().data() + row * width;
    for (Index j = 0; j < width; j += line) __builtin_prefetch(values + j);
    __builtin_prefetch(values + width - 1);
    __builtin_prefetch(design_->y().data() + row);
  }
}

void DesignBlocks::gather(std::span<const Index> ids) {
  if (stored_) {
    design_->take_rows(stored_->pick(ids), x_, y_, group_);
    return;
  }
  const Index width = design_->coefficients();
  const double* const rows = design_->x().data();
  double* to = x_.data();
  for (std::size_t k = 0; k < ids.size(); ++k, to += width) {
    std::copy_n(rows + ids[k] * width, width, to);
    y_[static_cast<Index>(k)] = design_->y()[ids[k]];
    if (!group_.empty()) group_[k] = design_->group()[static_cast<std::size_t>(ids[k])];
  }
}

void DesignBlocks::prefetch(std::span<const Index> ids) {
  if (stored_) stored_->announce(ids);
}

}  // namespace quasar
