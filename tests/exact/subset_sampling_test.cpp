// Uniform indices, permutations and subsets: every outcome equally likely, and scalar draws equal to blocks.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "support/laws.hpp"

namespace quasar {
namespace {

Stream stream(std::string_view role) { return Rng(20240229).stream(role); }

TEST(IndexDraw, Law) {
  for (const Index n : {2, 3, 7, 1000}) {
    Stream s = stream("index " + std::to_string(n));
    test::expect_probabilities([&] { return s.index(n); }, n - 1,
                               [&](std::int64_t) { return 1.0 / static_cast<double>(n); });
  }
  EXPECT_EQ(stream("index").index(1), 0);
}

TEST(IndexDraw, IsUnbiasedWhereTheRangeDoesNotDivideTheWord) {
  constexpr Index n = 3 * (Index{1} << 61);  // of 8 words 3 would meet each of two indices, 2 the third
  Stream scalar = stream("index large");
  Stream block = scalar;
  std::vector<Index> all(30000);
  block.sample_with_replacement(n, all);
  std::size_t i = 0;
  const auto residue = [&] {
    const Index k = scalar.index(n);
    EXPECT_EQ(k, all[i++]);
    return k % 3;
  };
  test::expect_probabilities(
      residue, 2, [](std::int64_t) { return 1.0 / 3; }, 30000);
}

TEST(Permutation, AllAreEquallyLikely) {
  for (const auto& [size, outcomes] : {std::pair<std::size_t, std::size_t>{3, 6}, {4, 24}, {5, 120}}) {
    Stream s = stream("permutation " + std::to_string(size));
    std::vector<Index> p(size);
    test::expect_equally_likely(
        [&] {
          s.permutation(p);
          return p;
        },
        outcomes);
  }
}

TEST(SubsetWithoutReplacement, AllAreEquallyLikely) {
  const std::tuple<Index, std::size_t, std::size_t> cases[] = {
      {5, 1, 5}, {5, 2, 20}, {6, 3, 120}, {5, 4, 120}, {4, 4, 24}};
  for (const auto& [n, k, outcomes] : cases) {
    SCOPED_TRACE(testing::Message() << n << ' ' << k);
    Stream s = stream("subset " + std::to_string(n) + ' ' + std::to_string(k));
    std::vector<Index> chosen(k);
    test::expect_equally_likely(
        [&, n = n] {
          s.sample_without_replacement(n, chosen);
          return chosen;
        },
        outcomes);
  }
}

TEST(SubsetWithoutReplacement, LargeSubsetsAreDistinct) {
  for (const Index n : {Index{1000}, Index{1001}, Index{5000}, Index{1} << 62}) {
    Stream s = stream("large subset");
    std::vector<Index> chosen(1000);
    s.sample_without_replacement(n, chosen);
    const std::set<Index> distinct(chosen.begin(), chosen.end());
    EXPECT_EQ(distinct.size(), chosen.size());
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LT(*distinct.rbegin(), n);
    EXPECT_EQ(s.element(), 1000u);
  }
}

TEST(SubsetWithReplacement, IsTheScalarDraw) {
  Stream scalar = stream("replacement"), block = scalar;
  std::vector<Index> chosen(700);
  block.sample_with_replacement(12345, chosen);
  for (const Index k : chosen) EXPECT_EQ(k, scalar.index(12345));
}

}  // namespace
}  // namespace quasar
