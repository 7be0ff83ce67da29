// Which terms of a sum a gradient is estimated from: batches are numbered, and batch k is a pure function of its
// number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

class Batches {
 public:
  enum Order {
    with_replacement,     // independent terms
    without_replacement,  // distinct terms, each batch independent of the others
    shuffled,             // one pass after another in random order; what is left of a pass is skipped
  };

  struct Shuffle {  // scratch of the order shuffled: the pass that it holds
    std::int64_t pass = -1;
    std::vector<Index> order;
  };

  Batches(Index terms, Index size, Order order);

  Index size() const { return size_; }
  Order order() const { return order_; }
  // n Var(mean of a batch) / Var(term), by the finite population: 1 with replacement, 1 - n/N without.
  double population_factor() const;

  Shuffle make_shuffle() const;
  void draw(const Rng& names, std::int64_t number, Shuffle& shuffle, std::span<Index> ids) const;

 private:
  Index terms_, size_;
  Order order_;
};

}  // namespace quasar
