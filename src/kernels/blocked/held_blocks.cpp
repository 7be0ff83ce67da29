#include "kernels/blocked/held_blocks.hpp"

#include <algorithm>

#include "core/place.hpp"

namespace quasar {

namespace {

std::span<double> numbers_of(Eigen::Map<Vec> v) { return {v.data(), at(v.size())}; }

}  // namespace

HeldBlocks::HeldBlocks(std::shared_ptr<const RatingBlocks> ratings, Index rank, Index arrays, Index part,
                       Exchange& exchange)
    : ratings_(std::move(ratings)), rank_(rank), arrays_(arrays), part_(part), exchange_(&exchange) {
  buffers_.reserve(static_cast<std::size_t>(3 * share().size()));
  const auto buffer = [this](Index numbers) { return buffers_.emplace_back(Vec::Zero(arrays_ * numbers)).data(); };
  for (Index b = share().begin; b < share().end; ++b) {
    users_.push_back(buffer(ratings_->users.rows(b) * rank_));
    items_.push_back(buffer(largest(false)));
    spare_.push_back(buffer(largest(false)));
  }
  next_items_ = items_;
}

Index HeldBlocks::largest(bool users) const {
  const BlockedSide& side = users ? ratings_->users : ratings_->items;
  Index rows = 0;
  for (Index block = 0; block < blocks(); ++block) rows = std::max(rows, side.rows(block));
  return rows * rank_;
}

Piece HeldBlocks::piece(bool of_users, Index block, double* data) const {
  const BlockedSide& side = of_users ? ratings_->users : ratings_->items;
  return {of_users, block, data, side.rows(block) * rank_};
}

Piece HeldBlocks::users(Index b) const { return piece(true, b, users_[at(slot(b))]); }

Piece HeldBlocks::items(Index b) const { return piece(false, met_by(b, part_), items_[at(slot(b))]); }

// As many blocks leave a rank as come, so that there is a spare buffer for each.
void HeldBlocks::begin_move(Index next_part) {
  next_part_ = next_part;
  for (Index b = share().begin; b < share().end; ++b) {
    const Index c = met_by(b, next_part), now_with = meeting(c, part_);
    if (share().has(now_with)) {
      next_items_[at(slot(b))] = items_[at(slot(now_with))];
      continue;
    }
    double* into = next_items_[at(slot(b))] = spare_.back();
    spare_.pop_back();
    const Piece coming = piece(false, c, into);
    if (coming.numbers > 0) exchange_->receive(numbers_of(whole(coming)), rank_of(now_with), tag_of(coming));
  }
}

void HeldBlocks::send(Index b) {
  const Piece done = items(b);
  const Index next_with = meeting(done.block, next_part_);
  if (share().has(next_with)) return;
  spare_.push_back(done.data);  // once the move has ended
  if (done.numbers > 0) exchange_->send(numbers_of(whole(done)), rank_of(next_with), tag_of(done));
}

void HeldBlocks::end_move() {
  if (next_part_ != part_) exchange_->wait();
  items_.swap(next_items_);
  part_ = next_part_;
}

void HeldBlocks::gather(Index array, Vec& all_of_it) const {
  for (Index block = 0; block < blocks(); ++block) {
    const Piece w = share().has(block) ? users(block) : piece(true, block, nullptr);
    const Index with = meeting(block, part_);
    const Piece h = share().has(with) ? items(with) : piece(false, block, nullptr);
    gather_block(w, array, rank_of(block), all_of_it);
    gather_block(h, array, rank_of(with), all_of_it);
  }
  exchange_->wait();
}

void HeldBlocks::gather_block(const Piece& piece, Index array, int from, Vec& all_of_it) const {
  const bool to_me = exchange_->rank() == 0, mine = exchange_->rank() == from;
  if (piece.numbers == 0 || (!to_me && !mine)) return;
  if (!to_me) return exchange_->send(numbers_of(piece.array(array)), 0, tag_of(piece));
  Eigen::Map<Vec> into(all_of_it.data() + begin_of(piece), piece.numbers);
  if (mine) {
    into = piece.array(array);
  } else {
    exchange_->receive(numbers_of(into), from, tag_of(piece));
  }
}

void HeldBlocks::take(Index array, const Vec& all_of_it) {
  for (Index b = share().begin; b < share().end; ++b) {
    for (const Piece& own : {users(b), items(b)}) {
      own.array(array) = all_of_it.segment(begin_of(own), own.numbers);
    }
  }
}

Index HeldBlocks::begin_of(const Piece& piece) const {
  const BlockedSide& side = piece.of_users ? ratings_->users : ratings_->items;
  return (piece.of_users ? 0 : first_item()) + side.begin[at(piece.block)] * rank_;
}

int HeldBlocks::tag_of(const Piece& piece) const {
  return static_cast<int>(2 * piece.block + (piece.of_users ? 0 : 1));
}

}  // namespace quasar
