// Recommendations against brute force on a table of scores that are the draws themselves, and scores of lists by hand.
#include "predict/recommend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "predict/ranking_scores.hpp"

namespace quasar {
namespace {

constexpr Index users = 3, items = 7, draws = 40;

struct Plain final : ItemScores {  // a draw: the scores of the first user, then of the second, ...
  std::unique_ptr<ItemScores> fork() const override { return std::make_unique<Plain>(*this); }
  Index items() const override { return quasar::items; }
  void take(std::span<const double> draw, const Rng&) override { draw_ = draw; }
  void score(Index user, Out out) override { out = Eigen::Map<const Vec>(draw_.data() + user * items(), items()); }
  double score(Index user, Index item) override { return draw_[static_cast<std::size_t>(user * items() + item)]; }
  std::span<const double> draw_;
};

RunData some_draws() {
  RunData run;
  for (int chain = 0; chain < 2; ++chain) {
    ChainDraws made{draws / 2, std::vector<double>(static_cast<std::size_t>(draws / 2 * users * items)), {}};
    Eigen::Map<Vec> values(made.values.data(), std::ssize(made.values));
    Rng(8, static_cast<std::uint64_t>(chain)).stream("scores").normals(values);
    for (Index i = 0; i < values.size(); ++i) values[i] += 0.3 * static_cast<double>((i % items) * (i % 3));
    run.sampling.push_back(std::move(made));
  }
  return run;
}

Mat scores_of(const RunData& run, Index user) {  // draws x items
  Mat all(draws, items);
  for (Index d = 0; d < draws; ++d) {
    const auto& chain = run.sampling[static_cast<std::size_t>(d / (draws / 2))];
    all.row(d) = Eigen::Map<const Vec>(chain.values.data() + (d % (draws / 2)) * users * items + user * items, items)
                     .transpose();
  }
  return all;
}

using Lists = std::vector<std::vector<Recommended>>;

Lists recommended(const RunData& run, const RecommendSettings& settings, const std::vector<Index>& candidates) {
  Lists lists;
  const Index used = recommend(*view_of(run), users * items, Plain(), {{2, 0, 1}, [&](Index) { return candidates; }},
                               settings, [&](Index user, std::span<const Recommended> best) {
                                 EXPECT_EQ(user, (std::vector<Index>{2, 0, 1})[lists.size()]);
                                 lists.emplace_back(best.begin(), best.end());
                               });
  EXPECT_EQ(used, draws);
  return lists;
}

std::vector<Index> all_items() {
  std::vector<Index> all(items);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

double quantile(Vec column, double p) {  // type 7
  std::sort(column.begin(), column.end());
  const double place = p * static_cast<double>(column.size() - 1);
  const auto below = static_cast<Index>(place);
  return column[below] + (place - std::floor(place)) * (column[std::min(below + 1, column.size() - 1)] - column[below]);
}

std::vector<Recommended> by_brute_force(const Mat& scores, const std::vector<Index>& candidates, Index top) {
  std::vector<Recommended> all;
  for (const Index item : candidates) {
    const Vec column = scores.col(item);
    const double mean = column.mean();
    Index in_top = 0;
    for (Index d = 0; d < scores.rows(); ++d) {
      Index better = 0;
      for (const Index other : candidates) better += scores(d, other) > scores(d, item) ? 1 : 0;
      in_top += better < top ? 1 : 0;
    }
    all.push_back({item, mean, std::sqrt((column.array() - mean).square().sum() / (draws - 1)), quantile(column, 0.1),
                   quantile(column, 0.9), static_cast<double>(in_top) / draws});
  }
  return all;
}

double key(const Recommended& item, RankBy rank_by) {
  switch (rank_by) {
    case RankBy::mean:
      return item.mean;
    case RankBy::lower:
      return item.lower;
    case RankBy::upper:
      return item.upper;
    case RankBy::probability:
      return item.probability;
  }
  return 0;
}

class Ranked : public testing::TestWithParam<RankBy> {};

TEST_P(Ranked, AsBruteForceDoes) {
  const RunData run = some_draws();
  const std::vector<Index> candidates = {0, 1, 3, 4, 6};
  const auto lists = recommended(run, {.top = 3, .rank_by = GetParam(), .interval = 0.8, .threads = 1}, candidates);
  for (const std::size_t k : {0, 1, 2}) {
    auto expected = by_brute_force(scores_of(run, (std::vector<Index>{2, 0, 1})[k]), candidates, 3);
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.mean > b.mean; });
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return key(a, GetParam()) > key(b, GetParam()); });
    ASSERT_EQ(lists[k].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(lists[k][i].item, expected[i].item);
      EXPECT_NEAR(lists[k][i].mean, expected[i].mean, 1e-12);
      EXPECT_NEAR(lists[k][i].sd, expected[i].sd, 1e-12);
      EXPECT_NEAR(lists[k][i].lower, expected[i].lower, 1e-12);
      EXPECT_NEAR(lists[k][i].upper, expected[i].upper, 1e-12);
      EXPECT_EQ(lists[k][i].probability, expected[i].probability);
    }
  }
}

void expect_same(const Lists& a, const Lists& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].size(), b[k].size());
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      EXPECT_EQ(a[k][i].item, b[k][i].item);
      EXPECT_EQ(a[k][i].mean, b[k][i].mean);
      EXPECT_EQ(a[k][i].lower, b[k][i].lower);
      EXPECT_EQ(a[k][i].upper, b[k][i].upper);
      EXPECT_EQ(a[k][i].probability, b[k][i].probability);
    }
  }
}

TEST_P(Ranked, TheSameForAnyNumberOfThreadsAndAnyMemory) {
  const RunData run = some_draws();
  const auto whole = recommended(run, {.top = 4, .rank_by = GetParam(), .threads = 1}, all_items());
  expect_same(recommended(run, {.top = 4, .rank_by = GetParam(), .threads = 3}, all_items()), whole);
  // One user at a time; intervals of two items at a time.
  expect_same(recommended(run, {.top = 4, .rank_by = GetParam(), .most_bytes = 8 * draws * 2}, all_items()), whole);
}

INSTANTIATE_TEST_SUITE_P(Ways, Ranked,
                         testing::Values(RankBy::mean, RankBy::lower, RankBy::upper, RankBy::probability));

TEST(Recommend, FewCandidatesAreAllRecommended) {
  const RunData run = some_draws();
  const auto lists = recommended(run, {.top = 10}, {5, 2});
  ASSERT_EQ(lists[0].size(), 2U);
  EXPECT_EQ(lists[0][0].probability, 1);
  EXPECT_EQ(lists[0][1].probability, 1);
  EXPECT_TRUE(recommended(run, {.top = 10}, {})[0].empty());
}

TEST(RankingScores, ByHand) {
  RankingScorer scorer(4);
  scorer.add(std::vector<Index>{3, 1, 5, 2, 0}, {1, 2, 0}, 0);  // places 2 and 4; item 0 comes too late
  scorer.add(std::vector<Index>{3, 1}, {3}, 1);                 // one that could not be recommended
  scorer.add(std::vector<Index>{3, 1}, {}, 0);                  // nothing relevant: does not count
  const RankingScores found = scorer.result();
  EXPECT_EQ(found.users, 2);
  EXPECT_NEAR(found.precision, (0.5 + 0.25) / 2, 1e-14);
  EXPECT_NEAR(found.recall, (2.0 / 3 + 0.5) / 2, 1e-14);
  const double first = (1 / std::log2(3) + 1 / std::log2(5)) / (1 + 1 / std::log2(3) + 0.5);
  const double second = 1 / (1 + 1 / std::log2(3));
  EXPECT_NEAR(found.ndcg, (first + second) / 2, 1e-14);
}

}  // namespace
}  // namespace quasar
