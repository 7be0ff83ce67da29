// The blocks of W and H that a rank has.
//
// A block of W stays with its rank. Block c of H is with the users' block that it meets, (c - p) mod B, and travels
// when the part p changes: one message with everything that a method carries for it. It goes as soon as it is done and
// comes into memory of its own, so that both ways overlap with the rest of the step.
#pragma once

#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/rating_blocks.hpp"

namespace quasar {

struct Piece {  // one block of W or H: as many arrays as the method carries, row after row each
  bool of_users;
  Index block;
  double* data;
  Index numbers;  // of one array

  Eigen::Map<Vec> array(Index which) const { return {data + which * numbers, numbers}; }
  Rng name(const Rng& step) const {  // its numbers are the same wherever it is
    return step.child(of_users ? "users" : "items", static_cast<std::uint64_t>(block));
  }
};

class HeldBlocks {
 public:
  HeldBlocks(std::shared_ptr<const RatingBlocks> ratings, Index rank, Index arrays, Index part, Exchange& exchange);

  const RatingBlocks& ratings() const { return *ratings_; }
  Share share() const { return ratings_->share; }
  Index blocks() const { return ratings_->blocks(); }
  Index part() const { return part_; }
  Index numbers() const { return first_item() + all(ratings_->items); }  // of one array of all blocks
  Index first_item() const { return all(ratings_->users); }              // of them
  Index largest(bool users) const;                                       // of one array of a block

  Piece users(Index b) const;
  Piece items(Index b) const;  // that users' block b meets

  void begin_move(Index next_part);  // what will be needed may come
  void send(Index b);                // the items of b are as the next step needs them
  void end_move();

  // Of all ranks: one array of every block, the users' first, in the order of places.
  void gather(Index array, Vec& all_of_it) const;  // on rank 0
  void take(Index array, const Vec& all_of_it);    // each rank its own
  void place(Index part) { part_ = part; }         // without moving anything: all arrays are to be taken

 private:
  Index slot(Index b) const { return b - share().begin; }
  Index met_by(Index b, Index part) const { return (b + part) % blocks(); }
  Index meeting(Index c, Index part) const { return (c + blocks() - part) % blocks(); }
  int rank_of(Index b) const { return owner_of(b, exchange_->size(), blocks()); }
  Index all(const BlockedSide& side) const { return side.begin.back() * rank_; }
  Eigen::Map<Vec> whole(const Piece& piece) const { return {piece.data, piece.numbers * arrays_}; }
  Piece piece(bool of_users, Index block, double* data) const;
  void gather_block(const Piece& piece, Index array, int from, Vec& all_of_it) const;
  Index begin_of(const Piece& piece) const;
  int tag_of(const Piece& piece) const;

  std::shared_ptr<const RatingBlocks> ratings_;
  Index rank_, arrays_, part_;
  Index next_part_ = 0;
  Exchange* exchange_;
  std::vector<Vec> buffers_;
  std::vector<double*> users_;                       // of each block of users: a buffer, as are
  std::vector<double*> items_, next_items_, spare_;  // the items that it meets, now and next, and those in between
};

}  // namespace quasar
