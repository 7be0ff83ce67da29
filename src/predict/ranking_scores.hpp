// How good lists of n recommendations are, judged by the items that a user turned out to like, the relevant ones:
//
//   precision@n   relevant items in the list / n
//   recall@n      relevant items in the list / relevant items
//   NDCG@n        sum over relevant items in the list of 1/log2(1 + place) / the same of the best possible list
//                                                             Jarvelin and Kekalainen, ACM TOIS 20 (2002), with gains 1
// each averaged over users who have relevant items.
#pragma once

#include <span>
#include <unordered_set>

#include <quasar/core.hpp>

namespace quasar {

struct RankingScores {
  Index users = 0;
  double precision = 0, recall = 0, ndcg = 0;
};

class RankingScorer {
 public:
  explicit RankingScorer(Index top) : top_(top) {}
  // best: items, the best first. out_of_reach: relevant items that could not be recommended.
  void add(std::span<const Index> best, const std::unordered_set<Index>& relevant, Index out_of_reach);
  RankingScores result() const;

 private:
  Index top_;
  RankingScores sums_;
};

}  // namespace quasar
