// Each rank's share of the ratings in blocks, read without the rest of them.
#pragma once

#include <memory>

#include "models/factorization/rating_blocks.hpp"
#include "models/factorization/sorted_ratings.hpp"

namespace quasar {

void require_a_block_each(int ranks, Index blocks);  // UsageError: there are more ranks than blocks

// All ranks call it. Users are cut where the rating k N / B is, which is found in the sorted ratings without a pass
// over them; items likewise, by counts that the ranks add up. What a rank has depends on its share alone. UsageError:
// more blocks than users or items, more ranks than blocks. DataError: ratings are damaged or not sorted, a pair is
// rated twice, a block has 2^32 ratings.
std::shared_ptr<const RatingBlocks> load_rating_blocks(const SortedRatings& ratings, double center, Index blocks,
                                                       Exchange& exchange);

}  // namespace quasar
