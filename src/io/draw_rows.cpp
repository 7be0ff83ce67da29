#include "io/draw_rows.hpp"

#include <algorithm>

namespace quasar {
namespace {

constexpr Index block_bytes = Index{4} << 20;

}  // namespace

DrawRows::DrawRows(const DrawSource& source, Phase phase, Index chain, Columns columns)
    : source_(source),
      phase_(phase),
      columns_(columns),
      chain_(chain),
      draws_(source.draws(phase)),
      draws_at_once_(std::max<Index>(1, block_bytes / (Index{sizeof(double)} * std::max<Index>(1, columns.count)))) {}

std::span<const double> DrawRows::next() {
  if (position_ == block_end_) read_block();
  const double* first = block_.data() + (position_++ - block_begin_) * columns_.count;
  return {first, static_cast<std::size_t>(columns_.count)};
}

void DrawRows::read_block() {
  block_begin_ = position_;
  block_end_ = std::min(draws_, position_ + draws_at_once_);
  const Index draws = block_end_ - block_begin_;
  block_.resize(static_cast<std::size_t>(draws * columns_.count));
  source_.read({phase_, columns_.part, chain_, block_begin_, draws, columns_.first, columns_.count}, block_);
}

}  // namespace quasar
