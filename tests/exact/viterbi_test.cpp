// Cheapest paths against all paths, and what is counted along them. No statistics.
#include "models/sequences/viterbi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

#include "models/sequences/agreement.hpp"
#include "models/sequences/transitions.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/instruction_sets.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

using test::missing;

constexpr double impossible = std::numeric_limits<double>::infinity();

TEST(Viterbi, FindsThePathsOfTheSixPoints) {
  const Sequences data = test::six_points();
  struct Known {
    double lambda;
    Path path;
    double cost;
  };
  for (const Known& known :
       {Known{0, {0, 0, 1, 1, 0, 2}, 0.2}, Known{1, {0, 0, 1, 1, 0, 2}, 6.5199686140800175},
        Known{5, {0, 0, 1, 1, 1, 2}, 28.92532796768877}, Known{50, {0, 0, 0, 0, 0, 0}, 180.10640594149768}}) {
    const CheapestPath found = viterbi(data, {divergences(data, Emission::normal, test::three_centres()), Vec::Zero(3),
                                              -known.lambda * test::three_rows().array().log()});
    EXPECT_EQ(found.states, known.path);
    EXPECT_NEAR(found.cost, known.cost, 1e-13 * known.cost);
  }
}

// Costs are small integers, a quarter of them infinite: sums are exact and ties many.
struct TinyProblem {
  Sequences data;
  Mat entry;
  PathCosts costs;
};

TinyProblem tiny_problem(Index points, Index states, Stream draws) {
  const auto cost = [&] { return draws.uniform() < 0.25 ? impossible : static_cast<double>(draws.index(3)); };
  const auto fill = [&](auto&& all) {
    for (double& x : all.reshaped()) x = cost();
  };
  TinyProblem p{{Mat::Zero(1, points), {0, 1 + draws.index(points - 1)}},
                Mat(states, points),
                {{}, Vec(states), Mat(states, states)}};
  fill(p.entry);
  fill(p.costs.first);
  fill(p.costs.transition);
  return p;
}

double cost_of(const TinyProblem& p, const Path& path) {
  double sum = 0;
  for (Index t = 0; t < p.data.size(); ++t) {
    const Index k = path[static_cast<std::size_t>(t)];
    sum += p.entry(k, t) + (test::is_start(p.data, t) ? p.costs.first[k]
                                                      : p.costs.transition(path[static_cast<std::size_t>(t - 1)], k));
  }
  return sum;
}

TEST(Viterbi, IsTheFirstOfTheCheapestOfAllPaths) {
  test::with_each_instruction_set([] {
    int possible = 0;
    for (std::uint64_t problem = 0; problem < 300; ++problem) {
      Stream draws = Rng(1).child("tiny", problem).stream("sizes");
      const Index states = 1 + draws.index(5), points = 2 + draws.index(states > 3 ? 4 : 5);
      TinyProblem p = tiny_problem(points, states, Rng(1).child("tiny", problem).stream("costs"));
      p.costs.entry = [&p](Index begin, Eigen::Ref<Mat> to) { to = p.entry.middleCols(begin, to.cols()); };
      const CheapestPath found = viterbi(p.data, p.costs);
      double least = impossible;
      Path best;
      test::for_each_path(points, states, [&](const Path& path) {
        if (cost_of(p, path) < least) {
          least = cost_of(p, path);
          best = path;
        }
      });
      ASSERT_EQ(found.cost, least);
      if (least == impossible) continue;
      ASSERT_EQ(found.states, best);
      ++possible;
    }
    EXPECT_GT(possible, 100);
  });
}

struct LongProblem {
  Sequences data;
  Mat centres, transition;
  PathCosts costs(Emission emission) const {
    return {divergences(data, emission, centres), Vec::Zero(centres.cols()), transition};
  }
};

LongProblem long_problem(Emission emission, Index points, Index states, std::vector<Index> starts) {
  LongProblem p{test::random_sequences(emission, points, 2, std::move(starts), Rng(2).stream("data")), Mat(2, states),
                Mat(states, states)};
  Stream draws = Rng(2).stream("costs");
  for (double& x : p.centres.reshaped()) x = emission == Emission::categorical ? draws.uniform() : 4 * draws.uniform();
  for (double& x : p.transition.reshaped()) x = draws.exponential();
  return p;
}

TEST(Viterbi, KeepsOnlySomeCostsWhereMemoryIsShort) {
  for (const Emission emission : test::emissions) {
    const LongProblem p = long_problem(emission, 3000, 7, {0, 1, 600, 600, 1113});
    const CheapestPath all = viterbi(p.data, p.costs(emission)), some = viterbi(p.data, p.costs(emission), 1);
    EXPECT_EQ(all.states, some.states);
    EXPECT_EQ(all.cost, some.cost);
  }
}

TEST(Viterbi, IsTheSameWithEveryInstructionSet) {
  for (const Index states : {1, 3, 5, 10, 13, 30, 256}) {
    const LongProblem p = long_problem(Emission::normal, 700, states, {0});
    const CheapestPath first = viterbi(p.data, p.costs(Emission::normal));
    test::with_each_instruction_set([&] {
      const CheapestPath again = viterbi(p.data, p.costs(Emission::normal));
      EXPECT_EQ(first.states, again.states);
      EXPECT_EQ(first.cost, again.cost);
    });
  }
}

TEST(Viterbi, AllocatesNothingFromPointToPoint) {
  const auto allocations = [](Index points) {
    const LongProblem p = long_problem(Emission::normal, points, 10, {0});
    const PathCosts costs = p.costs(Emission::normal);
    const long before = test::allocation_count;
    viterbi(p.data, costs);
    return test::allocation_count - before;
  };
  EXPECT_EQ(allocations(100), allocations(5000));
}

TEST(Viterbi, HasStatesThatFitAByte) {
  const Sequences data = test::six_points();
  const PathCosts costs{divergences(data, Emission::normal, Mat::Zero(1, 257)), Vec::Zero(257), Mat::Zero(257, 257)};
  EXPECT_EQ(test::error_message<UsageError>([&] { viterbi(data, costs); }),
            "the number of states is from 1 to 256, not 257");
}

TEST(Divergences, AreThoseOfOnePointAndOneStateAtATime) {
  for (const Emission emission : test::emissions) {
    const LongProblem p = long_problem(emission, 600, 5, {0});
    Mat centres = p.centres;
    if (emission != Emission::normal) centres(1, 3) = 0;  // rules points out, and is not NaN
    Mat all(5, 590);
    divergences(p.data, emission, centres)(10, all);
    for (Index t = 0; t < all.cols(); ++t) {
      for (Index k = 0; k < all.rows(); ++k) {
        const double one = divergence(emission, p.data.values.col(10 + t), centres.col(k));
        ASSERT_FALSE(std::isnan(one));
        if (std::isinf(one)) {
          ASSERT_EQ(all(k, t), one);
        } else {
          ASSERT_NEAR(all(k, t), one, 1e-12 * (1 + one));
        }
      }
    }
    EXPECT_EQ((all.array() == impossible).any(), emission != Emission::normal);
  }
}

TEST(Divergences, VanishAtTheCentreAndForWhatIsMissing) {
  const Vec point = (Vec(3) << 0, 2, missing).finished(), centre = (Vec(3) << 0, 2, 7).finished();
  EXPECT_EQ(divergence(Emission::normal, point, centre), 0);
  EXPECT_EQ(divergence(Emission::poisson, point, centre), 0);
  EXPECT_EQ(divergence(Emission::poisson, Vec::Constant(1, 3), Vec::Constant(1, 1)), 3 * std::log(3.0) - 2);
  EXPECT_EQ(divergence(Emission::categorical, Vec::Unit(2, 1), Vec::Constant(2, 0.25)), std::log(4.0));
}

TEST(Sequences, NamesValuesThatCannotBe) {
  const auto message = [](Emission emission, const Mat& values, std::vector<Index> starts = {0}) {
    return test::error_message<DataError>([&] { check({values, starts}, emission); });
  };
  const Mat large = Mat::Constant(1, 2, 1e300), infinite = Mat::Constant(1, 2, impossible);
  EXPECT_EQ(message(Emission::normal, large),
            "point 1: 1e+300 is too large to be squared; give the series in larger units");
  EXPECT_EQ(message(Emission::normal, infinite),
            "point 1: inf is too large to be squared; give the series in larger units");
  EXPECT_EQ(message(Emission::poisson, (Mat(1, 2) << 1, -2).finished()), "point 2: -2 is negative, and counts are not");
  EXPECT_EQ(message(Emission::categorical, Mat::Ones(2, 1)), "point 1 is not the indicator of one category");
  EXPECT_EQ(message(Emission::normal, Mat(1, 0)), "there are no points to segment");
  for (const std::vector<Index>& starts : {std::vector<Index>{0, 2, 1}, {0, 2, 2}, {0, 3}, {1}, {}}) {
    EXPECT_EQ(message(Emission::normal, Mat::Ones(1, 3), starts),
              "sequences begin at points that ascend from 0 to the last");
  }
  EXPECT_NO_THROW(check({Mat::Constant(2, 3, missing)}, Emission::categorical));
}

TEST(Transitions, AreCountedWithinSequences) {
  const Sequences data{(Mat(1, 6) << 1, 3, missing, 5, 2, 4).finished(), {0, 3}};
  const Path path = {0, 1, 1, 1, 0, 0};
  const Mat counts = transition_counts(data, path, 3);
  EXPECT_EQ(counts, (Mat(3, 3) << 1, 1, 0, 1, 1, 0, 0, 0, 0).finished());
  EXPECT_NEAR(transition_entropy(counts), 4 * std::log(2.0), 1e-15);
  const Mat centres = centres_of(data, path, Mat::Constant(1, 3, 9));
  EXPECT_TRUE(centres.isApprox((Mat(1, 3) << 7.0 / 3, 4, 9).finished()));
  EXPECT_NEAR(total_divergence(Emission::normal, data, path, centres), 14.0 / 3 + 2, 1e-14);
}

TEST(Agreement, IsThatOfTheReference) {
  EXPECT_NEAR(normalized_mutual_information({0, 0, 1, 1}, {0, 0, 1, 2}), 0.816496580927726, 1e-15);
  EXPECT_NEAR(normalized_mutual_information({0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 1, 2}), 0.7402999407999733, 1e-15);
  EXPECT_NEAR(normalized_mutual_information({0, 2, 1, 2}, {1, 0, 3, 0}), 1, 1e-15);
  EXPECT_EQ(normalized_mutual_information({0, 0, 0}, {0, 1, 2}), 0);
  EXPECT_EQ(normalized_mutual_information({}, {}), 0);
}

}  // namespace
}  // namespace quasar
