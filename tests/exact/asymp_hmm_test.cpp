// Generalised segmental k-means: the published example, what never rises, and data that have little to tell. No
// statistics.
#include "models/sequences/asymp_hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

#include "models/sequences/agreement.hpp"
#include "models/sequences/starts.hpp"
#include "models/sequences/transitions.hpp"
#include "support/error_message.hpp"
#include "support/sequences.hpp"

namespace quasar {
namespace {

AsympHmmOptions options_with(int states, double lambda, double smoothing, Emission emission = Emission::normal) {
  AsympHmmOptions options;
  options.emission = emission;
  options.states = states;
  options.lambda = lambda;
  options.smoothing = smoothing;
  return options;
}

TEST(AsympHmm, GoesTheWayOfTheSixPoints) {
  const HmmFit fit =
      fit_asymp_hmm(test::six_points(), options_with(3, 1, 0), test::three_centres(), test::three_rows());
  EXPECT_TRUE(fit.converged);
  EXPECT_EQ(fit.trace.size(), 4);  // two turns
  EXPECT_NEAR(fit.trace[0], 6.5199686140800175, 1e-14);
  EXPECT_NEAR(fit.objective, 4.853797893790887, 1e-14);
  EXPECT_TRUE(fit.centres.isApprox((Mat(1, 3) << 0.2 / 3, 2.95, 5.9).finished(), 1e-14));
  Mat rows = test::three_rows();
  rows.topRows(2) << 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.5, 0.5, 0;
  EXPECT_TRUE(fit.transition.isApprox(rows, 1e-14));  // nothing leaves the third state
}

// Two levels d apart that the series stays at for long: clusters cut through the overlap and make the variance too
// small; states know better.
TEST(AsympHmm, LambdaByDataIsTwiceTheVarianceWithinAState) {
  for (const double distance : {2.5, 10.0}) {
    Sequences data{Mat(1, 4000)};
    Stream draws = Rng(7).stream("two levels");
    for (Index t = 0; t < data.size(); ++t)
      data.values(0, t) = distance * static_cast<double>(t / 100 % 2) + draws.normal();
    data.values(0, 17) = test::missing;
    const double lambda = lambda_by_data(data, options_with(2, 77, 0.01), Rng(3));
    EXPECT_NEAR(lambda, 2, 4 * 2 * std::sqrt(2.0 / 4000)) << distance;  // four standard errors
    data.values *= 100;
    EXPECT_NEAR(lambda_by_data(data, options_with(2, 77, 0.01), Rng(3)), 1e4 * lambda, 1e-6 * lambda);
  }
  EXPECT_EQ(lambda_by_data(test::six_points(), options_with(2, 77, 0, Emission::poisson), Rng(3)), 1);
  EXPECT_EQ(lambda_by_data({Mat::Constant(1, 3, test::missing)}, options_with(1, 77, 0), Rng(3)), 0);
}

double objective_of(const Sequences& data, const AsympHmmOptions& options, const HmmFit& fit) {
  double sum = 0;
  for (Index t = 0; t < data.size(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    sum += divergence(options.emission, data.values.col(t), fit.centres.col(fit.states[at]));
    if (test::is_start(data, t) || options.lambda == 0) continue;
    sum -= options.lambda * std::log(fit.transition(fit.states[at - 1], fit.states[at]));
  }
  return sum;
}

struct Drawn {
  Sequences data;
  AsympHmmOptions options;
  Rng rng;
};

Drawn problem(std::uint64_t number) {
  const Rng rng = Rng(1).child("problem", number);
  Stream draws = rng.stream("sizes");
  const Emission emission = test::emissions[draws.index(3)];
  const Index points = 2 + draws.index(30), dim = 1 + draws.index(3);
  const double lambdas[] = {0, 0.1, 1, 5, 50}, smoothings[] = {0, 0.01, 1};
  AsympHmmOptions options =
      options_with(static_cast<int>(1 + draws.index(5)), lambdas[draws.index(5)], smoothings[draws.index(3)], emission);
  options.restarts = 1;
  return {test::random_sequences(emission, points, dim, {0, 1 + draws.index(points - 1)}, rng.stream("data")), options,
          rng};
}

TEST(AsympHmm, NeverRisesInTenThousandProblems) {
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    const Drawn p = problem(number);
    const HmmFit fit = fit_asymp_hmm(p.data, p.options, p.rng);
    ASSERT_TRUE(fit.converged);
    for (std::size_t i = 0; i < fit.trace.size(); ++i) {
      ASSERT_TRUE(std::isfinite(fit.trace[i])) << number;
      const double before = fit.trace[i > 0 ? i - 1 : 0];
      ASSERT_LE(fit.trace[i], before + 1e-11 * (1 + before)) << number;
    }
    const double own = objective_of(p.data, p.options, fit);
    ASSERT_NEAR(fit.objective, own, 1e-11 * (1 + std::abs(own))) << number;
    ASSERT_TRUE(fit.transition.rowwise().sum().isOnes(1e-12));
  }
}

TEST(AsympHmm, MonitorsTheObjectiveWithTheAddedCounts) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const Drawn p = problem(number);
    if (p.options.lambda == 0 || p.options.smoothing == 0) continue;
    const HmmFit fit = fit_asymp_hmm(p.data, p.options, p.rng);
    const double added = -p.options.lambda * p.options.smoothing * fit.transition.array().log().sum();
    EXPECT_NEAR(fit.trace.back(), objective_of(p.data, p.options, fit) + added, 1e-9 * fit.trace.back());
  }
}

// Well-separated states: the best of all paths, each with its own means and frequencies.
TEST(AsympHmm, FindsTheBestOfAllPaths) {
  const Sequences data{(Mat(1, 9) << 0, .3, 4, 4.4, .1, 3.9, 4.1, -.2, test::missing).finished(), {0, 5}};
  const AsympHmmOptions options = options_with(2, 0.7, 0);
  double least = 1e300;
  test::for_each_path(data.size(), 2, [&](const Path& path) {
    const double j = total_divergence(Emission::normal, data, path, centres_of(data, path, Mat::Zero(1, 2))) +
                     options.lambda * transition_entropy(transition_counts(data, path, 2));
    least = std::min(least, j);
  });
  EXPECT_NEAR(fit_asymp_hmm(data, options, Rng(1)).objective, least, 1e-12);
}

TEST(AsympHmm, StaysWhereItHasConverged) {
  const Drawn p = problem(7);
  const HmmFit fit = fit_asymp_hmm(p.data, p.options, p.rng);
  const HmmFit again = fit_asymp_hmm(p.data, p.options, fit.centres, fit.transition);
  EXPECT_EQ(again.states, fit.states);
  EXPECT_LE(again.trace.size(), 4);
  EXPECT_NEAR(again.objective, fit.objective, 1e-12 * fit.objective);
}

TEST(AsympHmm, FindsStatesOfCountsAndCategories) {
  for (const Emission emission : {Emission::poisson, Emission::categorical}) {
    Sequences data{Mat::Zero(2, 600), {0, 300}};
    Path truth(600);
    Stream draws = Rng(3).stream("data");
    for (Index t = 0; t < 600; ++t) {
      const int z = static_cast<int>(t / 50 % 2);
      truth[static_cast<std::size_t>(t)] = z;
      if (emission == Emission::poisson) {
        data.values.col(t) << static_cast<double>(draws.poisson(z == 0 ? 1 : 8)), static_cast<double>(draws.poisson(3));
      } else {
        data.values(draws.uniform() < (z == 0 ? 0.9 : 0.1) ? 0 : 1, t) = 1;
      }
    }
    const HmmFit fit = fit_asymp_hmm(data, options_with(2, 1, 0.01, emission), Rng(1));
    EXPECT_GT(normalized_mutual_information(fit.states, truth), 0.75);
  }
}

// Fewer states than are asked for are used where there are fewer different points.
TEST(AsympHmm, IsDefinedForDataThatSayLittle) {
  const auto fit_of = [](const Mat& values, int states) {
    const HmmFit fit = fit_asymp_hmm({values}, options_with(states, 1, 0.01), Rng(1));
    EXPECT_TRUE(fit.centres.allFinite() && fit.transition.allFinite());
    return fit;
  };
  const Path one_state = fit_of(Mat::Constant(1, 20, 5), 3).states;
  EXPECT_EQ(one_state, Path(20, one_state[0]));
  EXPECT_EQ(fit_of(Mat::Constant(2, 1, 5), 4).objective, 0);
  EXPECT_EQ(fit_of(Mat::Constant(1, 3, test::missing), 2).centres, Mat::Zero(1, 2));
  const HmmFit two_values = fit_of((Mat(1, 6) << 1, 1, 9, 9, 1, 1).finished(), 10);
  EXPECT_EQ(two_values.centres(0, two_values.states[5]), 1);
  EXPECT_EQ(two_values.centres(0, two_values.states[3]), 9);
  Mat outlier = Mat::Zero(1, 50);
  outlier(0, 20) = 1e100;
  EXPECT_EQ(fit_of(outlier, 2).centres.maxCoeff(), 1e100);
}

TEST(AsympHmm, RefusesWhatItCannotFit) {
  EXPECT_EQ(test::error_message<UsageError>([] { fit_asymp_hmm(test::six_points(), options_with(0, 1, 0), Rng(1)); }),
            "the number of states is from 1 to 256, not 0");
  EXPECT_EQ(test::error_message<DataError>(
                [] { fit_asymp_hmm({Mat::Constant(1, 3, -1e300)}, options_with(2, 1, 0), Rng(1)); }),
            "point 1: -1e+300 is too large to be squared; give the series in larger units");
}

TEST(Starts, AreCentresOfSomeOfManyPoints) {
  Mat values(1, 30'000);
  for (Index t = 0; t < values.cols(); ++t) values(0, t) = static_cast<double>(t % 3) * 10;
  const Mat centres = kmeans({values}, Emission::normal, 3, Rng(1));
  Vec sorted = centres.row(0).transpose();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_TRUE(sorted.isApprox((Vec(3) << 0, 10, 20).finished()));
}

}  // namespace
}  // namespace quasar
