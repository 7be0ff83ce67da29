// Penalties chosen by the data: the answer does not depend on units, offsets or threads, and is one where data tell
// little. No statistics.
#include "models/sequences/penalties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/sequences/path_criterion.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

// Levels 0, 3 and 6, each for some 30 points; the noise has standard deviation 1/2.
struct Steps {
  Sequences data;
  Path levels;
};

Steps steps(Index points = 600) {
  Steps made{{Mat(1, points)}, {}};
  Stream draws = Rng(77).stream("steps");
  int level = 0;
  for (Index t = 0; t < points; ++t) {
    if (t % 30 == 29) level = (level + 1 + static_cast<int>(draws.index(2))) % 3;
    made.levels.push_back(level);
    made.data.values(0, t) = 3 * level + 0.5 * draws.normal();
  }
  return made;
}

SelectedFit chosen(const Sequences& data, Emission emission = Emission::normal, Selector selector = Selector::bic,
                   int threads = 1) {
  AsympIhmmOptions options;
  options.emission = emission;
  options.threads = threads;
  return select_penalties(data, options, default_grid(data, emission), selector);
}

Path renumbered(const Path& levels) {
  Path number(levels.size(), -1), path;
  int next = 0;
  for (const int level : levels) {
    int& own = number[static_cast<std::size_t>(level)];
    if (own < 0) own = next++;
    path.push_back(own);
  }
  return path;
}

TEST(Penalties, StepsAreFoundAsTheyAre) {
  const Steps made = steps();
  for (const Selector selector : {Selector::bic, Selector::fewest_states}) {
    const SelectedFit found = chosen(made.data, Emission::normal, selector);
    EXPECT_EQ(found.fit.states, renumbered(made.levels));
    EXPECT_EQ(found.tried.size(), 24);
  }
}

// Eight levels 4 standard deviations apart that last: each start alone mostly ends with two of them taken for one.
TEST(Penalties, ManyLastingLevelsAreFoundAsTheyAre) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    Stream draws = Rng(4).child("series", i).stream("levels");
    Sequences data{Mat(1, 1200)};
    Path levels;
    int level = 0;
    for (Index t = 0; t < data.size(); ++t) {
      if (t % 40 == 39) level = (level + 1 + static_cast<int>(draws.index(7))) % 8;
      levels.push_back(level);
      data.values(0, t) = 4 * level + draws.normal();
    }
    const SelectedFit found = chosen(data);
    EXPECT_EQ(found.fit.stats.size(), 8) << i;
    EXPECT_LE(found.fit.objective,
              objective(Emission::normal, stats_of(Emission::normal, data, levels), found.penalties) + 1e-9)
        << i;
  }
}

TEST(Penalties, BicTakesTheLeastCriterionAndItsPenalties) {
  const Steps made = steps();
  const SelectedFit found = chosen(made.data);
  const PathCriterion criterion(made.data, Emission::normal);
  for (const TriedPenalties& tried : found.tried) EXPECT_LE(criterion(found.fit.stats), tried.score);
  const double variance = total_divergence(Emission::normal, found.fit.stats) / 600;
  EXPECT_NEAR(found.penalties.lambda, 2 * variance, 1e-9);
  EXPECT_NEAR(found.penalties.lambda1, variance * std::log(600), 1e-9);
  EXPECT_NEAR(found.penalties.lambda2, 3 * variance * std::log(600), 1e-9);
  EXPECT_NEAR(objective(Emission::normal, found.fit.stats, found.penalties), found.fit.objective, 1e-9);
}

TEST(PathCriterion, IsItsDefinition) {
  const Sequences data{(Mat(1, 8) << 0, 3.1, .2, 2.9, -.1, 3, .1, 3.2).finished()};
  const PathStats stats = stats_of(Emission::normal, data, {0, 1, 0, 1, 0, 0, 0, 1});
  // 0 is followed by 1, 1, 0, 0, 1 and 1 by 0 twice; 7 numbers: two centres, one probability, two for each state.
  const double entropy = 5 * std::log(5) - 3 * std::log(3) - 2 * std::log(2);
  const double squares = total_divergence(Emission::normal, stats);
  // The first state is the point of reference.
  EXPECT_NEAR(PathCriterion(data, Emission::normal)(stats), 4 * std::log(squares / 8) + entropy + 0.5 * std::log(8) * 4,
              1e-12);
}

TEST(PathCriterion, ProbabilitiesOfCategoriesAreOneFewer) {
  Sequences data{Mat::Zero(3, 8)};
  for (Index t = 0; t < 8; ++t) data.values(t % 3, t) = 1;
  const PathStats stats = stats_of(Emission::categorical, data, {0, 0, 0, 0, 0, 0, 0, 1});
  const IhmmPenalties prices = PathCriterion(data, Emission::categorical).penalties(stats);
  EXPECT_NEAR(prices.lambda2, 4 * prices.lambda1, 1e-12);
}

TEST(PathCriterion, FallsWithJAtItsPenalties) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Rng rng = Rng(31).child("problem", i);
    Stream draws = rng.stream("paths");
    const Emission emission = test::emissions[i % 3];
    const Sequences data =
        test::random_sequences(emission, 40, emission == Emission::categorical ? 3 : 2, {0, 15}, rng.stream("values"));
    const PathCriterion criterion(data, emission);
    const auto random_stats = [&] {
      const Index states = 1 + draws.index(4);
      Path path;
      for (int t = 0; t < 40; ++t) path.push_back(t < states ? t : static_cast<int>(draws.index(states)));
      return stats_of(emission, data, path);
    };
    const PathStats a = random_stats(), b = random_stats();
    const IhmmPenalties at_a = criterion.penalties(a);
    const double j = objective(emission, b, at_a) - objective(emission, a, at_a);
    EXPECT_LE(criterion(b) - criterion(a), j / at_a.lambda + 1e-9) << i;
  }
}

TEST(Penalties, ThatAreGivenAreKept) {
  const Steps made = steps(300);
  PenaltyGrid grid = default_grid(made.data, Emission::normal);
  grid.lambda = {0.7};
  grid.lambda2 = {11};
  const SelectedFit found = select_penalties(made.data, {}, grid, Selector::bic);
  EXPECT_EQ(found.penalties.lambda, 0.7);
  EXPECT_EQ(found.penalties.lambda2, 11);
  EXPECT_NEAR(objective(Emission::normal, found.fit.stats, found.penalties), found.fit.objective, 1e-9);
  EXPECT_EQ(select_penalties(made.data, {}, {{0.5}, {0.5}, {1e9}}, Selector::bic).fit.stats.size(), 1);
}

TEST(Penalties, UnitsAndOffsetsDoNotMatter) {
  const Steps made = steps(300);
  const Path path = chosen(made.data).fit.states;
  const Path few = chosen(made.data, Emission::normal, Selector::fewest_states).fit.states;
  for (const double unit : {1e-6, 0.3, 1e5}) {
    for (const double offset : {0.0, 1e4 * unit}) {
      const Sequences scaled{unit * made.data.values.array() + offset};
      EXPECT_EQ(chosen(scaled).fit.states, path) << unit << ' ' << offset;
      EXPECT_EQ(chosen(scaled, Emission::normal, Selector::fewest_states).fit.states, few) << unit << ' ' << offset;
    }
  }
}

TEST(Penalties, ThreadsDoNotMatter) {
  const Steps made = steps(300);
  const SelectedFit one = chosen(made.data);
  for (const int threads : {2, 4}) {
    const SelectedFit several = chosen(made.data, Emission::normal, Selector::bic, threads);
    EXPECT_EQ(several.fit.states, one.fit.states);
    EXPECT_EQ(several.fit.objective, one.fit.objective);
    for (std::size_t i = 0; i < one.tried.size(); ++i) EXPECT_EQ(several.tried[i].score, one.tried[i].score);
  }
}

TEST(Penalties, OutliersAreStatesOfTheirOwnAndLeaveTheOthersAlone) {
  for (const double far : {1e6, 1e11}) {
    Steps made = steps();
    for (const Index t : {40, 41, 300}) made.data.values(0, t) = far;
    for (const Index t : {40, 41, 300}) made.levels[static_cast<std::size_t>(t)] = 3;
    const Path found = chosen(made.data).fit.states;
    Index wrong = 0;
    const Path expected = renumbered(made.levels);
    for (std::size_t t = 0; t < found.size(); ++t) wrong += found[t] != expected[t];
    EXPECT_LE(wrong, 2) << far;
  }
}

// "Off", and two loads 10 standard deviations apart that look alike beside it.
TEST(Penalties, LevelsBesideADistantOneAreFound) {
  for (const double far : {40.0, 100.0, 1000.0}) {
    Steps made = steps();
    const double level[] = {0, far, far + 5};
    for (Index t = 0; t < made.data.size(); ++t) {
      const auto at = static_cast<std::size_t>(made.levels[static_cast<std::size_t>(t)]);
      made.data.values(0, t) += level[at] - 3 * static_cast<double>(at);
    }
    EXPECT_EQ(chosen(made.data).fit.states, renumbered(made.levels)) << far;
  }
}

TEST(Penalties, LongSeriesAreSearchedInStretches) {
  const Steps made = steps(12000);
  const SelectedFit found = select_penalties(made.data, {}, {{0.5, 1}, {0.5, 1}, {5, 10}}, Selector::bic);
  EXPECT_EQ(found.fit.states, renumbered(made.levels));
}

TEST(Penalties, OneStateIsAnAnswer) {
  Stream draws = Rng(78).stream("noise");
  Sequences noise{Mat(1, 400)}, counts = noise, categories{Mat::Zero(3, 400)}, rounded = noise;
  for (Index t = 0; t < 400; ++t) {
    noise.values(0, t) = draws.normal();
    counts.values(0, t) = static_cast<double>(draws.poisson(4));
    categories.values(draws.index(3), t) = 1;
    rounded.values(0, t) = std::round(1.5 * draws.normal());  // a state for each value would fit perfectly
  }
  EXPECT_EQ(chosen(noise).fit.stats.size(), 1);
  EXPECT_EQ(chosen(counts, Emission::poisson).fit.stats.size(), 1);
  EXPECT_EQ(chosen(categories, Emission::categorical).fit.stats.size(), 1);
  EXPECT_EQ(chosen(rounded).fit.stats.size(), 1);
}

TEST(Penalties, DataThatTellLittleHaveAnAnswer) {
  for (const Selector selector : {Selector::bic, Selector::fewest_states}) {
    const auto states_of = [&](const Sequences& data) {
      return chosen(data, Emission::normal, selector).fit.stats.size();
    };
    EXPECT_EQ(states_of({Mat::Constant(1, 50, 7)}), 1);
    EXPECT_EQ(states_of({Mat::Constant(1, 1, 7)}), 1);
    EXPECT_EQ(states_of({Mat::Constant(2, 20, test::missing)}), 1);
    EXPECT_EQ(states_of({Mat(1, 0)}), 0);
  }
  Sequences levels{Mat::Zero(1, 90)};  // the same values again and again
  levels.values.middleCols(30, 30).setConstant(1);
  const SelectedFit found = chosen(levels);
  EXPECT_EQ(found.fit.stats.size(), 2);
  for (const TriedPenalties& tried : found.tried) EXPECT_TRUE(std::isfinite(tried.score));
}

}  // namespace
}  // namespace quasar
