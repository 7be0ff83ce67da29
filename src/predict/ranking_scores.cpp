#include "predict/ranking_scores.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

double gain(Index place) { return 1 / std::log2(static_cast<double>(place) + 2); }  // places from 0

}  // namespace

void RankingScorer::add(std::span<const Index> best, const std::unordered_set<Index>& relevant, Index out_of_reach) {
  const Index total = std::ssize(relevant) + out_of_reach;
  if (total == 0) return;
  Index hits = 0;
  double gains = 0, most = 0;
  for (Index place = 0; place < std::min(top_, std::ssize(best)); ++place) {
    if (!relevant.contains(best[static_cast<std::size_t>(place)])) continue;
    ++hits;
    gains += gain(place);
  }
  for (Index place = 0; place < std::min(top_, total); ++place) most += gain(place);
  ++sums_.users;
  sums_.precision += static_cast<double>(hits) / static_cast<double>(top_);
  sums_.recall += static_cast<double>(hits) / static_cast<double>(total);
  sums_.ndcg += gains / most;
}

RankingScores RankingScorer::result() const {
  const auto users = static_cast<double>(sums_.users);
  return {sums_.users, sums_.precision / users, sums_.recall / users, sums_.ndcg / users};
}

}  // namespace quasar
