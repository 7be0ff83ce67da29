// The draws of one chain, one after another, while only a block of them is in memory.
#pragma once

#include <span>
#include <vector>

#include <quasar/run_data.hpp>

namespace quasar {

class DrawRows {
 public:
  struct Columns {  // some consecutive numbers of every draw
    Part part;
    Index first, count;
  };

  DrawRows(const DrawSource& source, Phase phase, Index chain, Columns columns);

  Index size() const { return draws_; }
  std::span<const double> next();  // valid until the next call; at most size() calls

 private:
  void read_block();

  const DrawSource& source_;
  Phase phase_;
  Columns columns_;
  Index chain_, draws_, draws_at_once_;
  Index block_begin_ = 0, block_end_ = 0, position_ = 0;
  std::vector<double> block_;
};

}  // namespace quasar
