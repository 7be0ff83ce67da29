// Ratings in the order of the places of their users, then of their items (core/fixed_order.hpp), wherever they lie: a
// table that is stored has them so, one in memory is sorted. Neither the order of a file nor its format can make a
// difference.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/table.hpp>

#include "models/factorization/ratings.hpp"

namespace quasar {

struct SortedRatings : RatedLabels {
  std::string source = {};
  std::shared_ptr<const RowSource> rows = {};  // number of the user, number of the item, rating
  RatingRange range = {};
  double mean = 0;
  bool stored = false;  // not in memory
  bool unique = true;   // a pair is rated once

  Index size() const { return rows->rows(); }
  Rating at(Index row) const;

  // use(rating) for the rows from begin to end, read in pieces. DataError: a user or an item without a label, a rating
  // that is no finite number, a pair that is rated twice and should not be.
  template <class Use>
  void each(Index begin, Index end, Use&& use) const {
    std::vector<Rating> piece;
    Rating before{-1, -1, 0};
    for (; begin < end; begin += std::ssize(piece)) {
      read(begin, end, piece);
      for (const Rating& one : piece) {
        if (unique && one.user == before.user && one.item == before.item) fail_at_duplicate(one);
        before = one;
        use(one);
      }
    }
  }

  Vec counts_of_users() const;  // -1 where they are stored: to count them takes a pass
  Vec counts_of_items() const;

 private:
  void read(Index begin, Index end, std::vector<Rating>& piece) const;  // the first of them
  [[noreturn]] void fail_at_duplicate(const Rating& one) const;
};

// By the parameters user, item, rating and duplicates of a model. Reads no row of a stored table. DataError
SortedRatings sorted_ratings(const Table& table, const Config& config);

void sort_by_places(Ratings& ratings);  // those of one pair by their values: the order of a file must not matter

std::vector<std::int32_t> numbers_by_place(std::size_t labels);  // fixed_order

// Of each of `order`, a permutation, its place there.
std::vector<std::int32_t> places_in(const std::vector<std::int32_t>& order);

}  // namespace quasar
