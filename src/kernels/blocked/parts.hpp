// Which part of the ratings a step is made on.
//
// Part p, the cyclic diagonal of blocks (b, b + p mod B), is drawn with probability |part p| / N, so that its slopes
// times N / |part p| are those of all ratings in the mean (Simsekli et al. 2016). The draw has the name of its step:
// every rank makes it alone, and knows the next one before it comes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <quasar/rng.hpp>

#include "models/factorization/rating_blocks.hpp"

namespace quasar {

class Parts {
 public:
  explicit Parts(const RatingBlocks& ratings) {
    std::int64_t end = 0;
    for (Index part = 0; part < ratings.blocks(); ++part) {
      for (Index b = 0; b < ratings.blocks(); ++b) end += ratings.count(b, (b + part) % ratings.blocks());
      ends_.push_back(end);
    }
  }

  Index at(const Rng& step) const {
    Stream stream = step.stream("part");
    const std::int64_t rating = stream.index(ends_.back());
    return std::upper_bound(ends_.begin(), ends_.end(), rating) - ends_.begin();
  }

  double ratings() const { return static_cast<double>(ends_.back()); }  // N
  double share(Index part) const {                                      // of all ratings
    const auto at = static_cast<std::size_t>(part);
    return static_cast<double>(ends_[at] - (at == 0 ? 0 : ends_[at - 1])) / ratings();
  }

 private:
  std::vector<std::int64_t> ends_;  // of each part, where the ratings lie part after part
};

}  // namespace quasar
