// quasar optimize --problem karcher-mean without the command line: every solver finds the mean, and what is refused.
#include <gtest/gtest.h>

#include <quasar/errors.hpp>

#include "front/manifolds/karcher_mean.hpp"
#include "solvers/manifold/svrg.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::error_message;

TEST(KarcherMeanTask, EverySolverFindsTheMean) {
  const std::vector<Mat> matrices = test::random_spds(5, 60, 100, Rng(1));
  KarcherMean problem(matrices);
  const Mat answer = test::karcher_by_fixed_steps(problem).mean;
  for (const char* solver : {"lbfgs", "trust_region", "conjugate_gradient", "steepest_descent", "svrg", "sv_lbfgs"}) {
    for (const char* start : {"log_euclidean", "arithmetic"}) {
      const SolvedMean found = karcher_mean(matrices, {{"solver", solver}, {"start", start}});
      EXPECT_EQ(found.solver, solver);
      EXPECT_EQ(found.stop, ManifoldStop::converged) << solver << ' ' << found.progress.gradient_norm;
      EXPECT_LE(found.progress.gradient_norm, 1e-8) << solver;
      EXPECT_LT((found.mean - answer).norm(), 1e-7) << solver;
      EXPECT_NEAR(found.variance, problem.value(answer), 1e-12) << solver;
    }
  }
  // the noise of minibatches stays: each step has 1/10 of them, and its gradient is at most 2 sqrt(variance) long
  const SolvedMean rough = karcher_mean(matrices, {{"solver", "sgd"}, {"max_iterations", "50"}, {"step_size", "0.01"}});
  EXPECT_EQ(rough.stop, ManifoldStop::iteration_limit);
  EXPECT_LT(problem.manifold().distance(rough.mean, answer), 0.1 * std::sqrt(rough.variance));
  EXPECT_EQ(rough.progress.passes, 52);  // the start is a pass, and so is the gradient at the end
}

TEST(KarcherMeanTask, TakesSnapshotsTogetherAfterLoopsByTheGradient) {
  const std::vector<Mat> matrices = test::random_spds(5, 60, 100, Rng(1));
  const auto passes = [&](Settings given) {
    given.insert({{"solver", "sv_lbfgs"}, {"pairs", "snapshots"}, {"inner_steps", "1"}, {"step_size", "1"}});
    given.insert({{"first_step", "0.2"}, {"memory", "5"}, {"start", "arithmetic"}});
    const SolvedMean found = karcher_mean(matrices, given);
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    return found.progress.passes;
  };
  const double together = passes({{"update", "together"}});
  EXPECT_NE(passes({}), together);
  EXPECT_LE(together, 16);
  const Settings loops = {{"update", "together"}, {"gradient_loops", "2"}, {"gradient_steps", "4"}};
  const double after_loops = passes(loops), loop = 1 + 4 * 0.05, later = 1.05;
  EXPECT_NEAR(std::remainder(after_loops - 2 * loop - 1, later), 0, 1e-9);  // the last one is a look at the answer
  Settings short_steps = loops;
  short_steps["longest_step"] = "0.001";
  EXPECT_GT(passes(short_steps), 2 * after_loops);
}

TEST(KarcherMeanTask, StopsWhenTold) {
  const std::vector<Mat> matrices = test::random_spds(4, 10, 100, Rng(2));
  const SolvedMean limited = karcher_mean(matrices, {{"max_iterations", "1"}});
  EXPECT_EQ(limited.stop, ManifoldStop::iteration_limit);
  EXPECT_EQ(limited.progress.steps, 1);
  int seen = 0;
  const SolvedMean stopped = karcher_mean(matrices, {}, throughout([&](const Progress& progress) {
                                            EXPECT_EQ(progress.steps, seen);
                                            return ++seen < 3;
                                          }));
  EXPECT_EQ(stopped.stop, ManifoldStop::interrupted);
  EXPECT_EQ(stopped.progress.steps, 2);
  EXPECT_EQ(to_string(stopped.stop), "interrupted");
  EXPECT_LT(stopped.variance, karcher_mean(matrices, {{"max_iterations", "0"}}).variance);
}

// One pass over these takes half a second.
TEST(KarcherMeanTask, StopsWithinItsFirstPass) {
  const std::vector<Mat> matrices(2000, test::random_spds(100, 1, 100, Rng(6)).front());
  const Watch watch{.within_step = [](const Progress&) { return false; }};
  const SolvedMean stopped = karcher_mean(matrices, {{"threads", "1"}}, watch);
  EXPECT_EQ(stopped.stop, ManifoldStop::interrupted);
  EXPECT_EQ(stopped.mean.size(), 0);
}

// Of variables in other units D the mean is D mean D, though logarithms of such matrices have no digits left.
TEST(KarcherMeanTask, FollowsTheUnitsOfVariables) {
  const Index n = 15;
  const std::vector<Mat> matrices = test::random_spds(n, 8, 10, Rng(7));
  const Mat mean = karcher_mean(matrices).mean;
  for (const double decades : {3.0, 4.5, 6.0}) {
    const Vec units = (std::log(10.0) * Vec::LinSpaced(n, -decades, decades).array()).exp();
    std::vector<Mat> scaled;
    for (const Mat& w : matrices) scaled.emplace_back(units.asDiagonal() * w * units.asDiagonal());
    const SolvedMean found = karcher_mean(scaled);
    EXPECT_EQ(found.stop, ManifoldStop::converged) << decades;
    const Mat back = units.cwiseInverse().asDiagonal() * found.mean * units.cwiseInverse().asDiagonal();
    EXPECT_LT((back - mean).norm(), 1e-7 * mean.norm()) << decades;
  }
}

TEST(KarcherMeanTask, EndsWhereRoundingHidesTheGradient) {
  const std::vector<Mat> matrices = test::random_spds(4, 10, 100, Rng(4));
  const SolvedMean found = karcher_mean(matrices, {{"tolerance", "1e-300"}});
  EXPECT_EQ(found.stop, ManifoldStop::no_decrease);
  EXPECT_LT(found.progress.steps, 200);
  EXPECT_LT(found.progress.gradient_norm, 1e-12);
}

// Steps of 3 against curvature of 2 at least lead further and further, where Cholesky factorizations fail.
TEST(KarcherMeanTask, TellsOfStepsThatLedNowhere) {
  const std::vector<Mat> matrices = test::random_spds(4, 10, 100, Rng(4));
  for (const char* solver : {"svrg", "sgd"}) {
    const std::string why = error_message<RunError>([&] {
      karcher_mean(matrices, {{"solver", solver}, {"step_size", "3"}});
    });
    EXPECT_NE(why.find(solver), std::string::npos);
    EXPECT_NE(why.find("Try a smaller step_size, here 3"), std::string::npos) << why;
  }
  KarcherMean problem(matrices);
  const ManifoldSvrg solver(problem, {.step_size = 3, .batches = {.batch_size = 1}}, Rng(4));
  const ManifoldOptimum found = minimize(solver, matrices.front(), {.max_steps = 1000});
  ASSERT_EQ(found.stop, ManifoldStop::not_finite);
  EXPECT_EQ(problem.manifold().fault(found.x), "");
  EXPECT_EQ(problem.value(found.x), found.progress.value);
}

// A loop of minibatches that would take years.
TEST(KarcherMeanTask, StopsWithinALoop) {
  const std::vector<Mat> matrices = test::random_spds(3, 40, 10, Rng(5));
  for (const char* solver : {"svrg", "sv_lbfgs"}) {
    const Settings endless{{"solver", solver}, {"inner_steps", "1000000000000"}};
    Settings limited = endless;
    limited["max_passes"] = "3.5";
    const SolvedMean few = karcher_mean(matrices, limited);
    EXPECT_EQ(few.stop, ManifoldStop::iteration_limit) << solver;
    EXPECT_NEAR(few.progress.passes, 3.5 + 2, 0.1) << solver;  // the start is a pass, and so is the look at the end
    int before = 0, within = 0;
    const Watch watch{[&](const Progress&) { return ++before < 10; }, [&](const Progress&) { return ++within < 3; }};
    const SolvedMean stopped = karcher_mean(matrices, endless, watch);
    EXPECT_EQ(stopped.stop == ManifoldStop::interrupted || stopped.stop == ManifoldStop::converged, true) << solver;
    EXPECT_EQ(before, 1) << solver;
    EXPECT_EQ(within, 3) << solver;
  }
  const SolvedMean half = karcher_mean(matrices, {{"solver", "sgd"}, {"max_passes", "0.5"}});
  EXPECT_NEAR(half.progress.passes, 0.5 + 2, 1e-12);
}

TEST(KarcherMeanTask, RefusesWhatItCannotDo) {
  const std::vector<Mat> matrices = test::random_spds(3, 30, 10, Rng(3));
  const auto refusal = [&](const Settings& given) {
    return error_message<UsageError>([&] { karcher_mean(matrices, given); });
  };
  EXPECT_EQ(refusal({{"step_size", "0.1"}}), "step_size: solver lbfgs does not take it");
  EXPECT_EQ(refusal({{"memory", "4"}, {"solver", "svrg"}}), "memory: solver svrg does not take it");
  EXPECT_EQ(refusal({{"update", "together"}, {"solver", "svrg"}}), "update: solver svrg does not take it");
  EXPECT_EQ(refusal({{"update", "together"}, {"solver", "sv_lbfgs"}}),
            "update: pairs of minibatches have noise and are taken one by one; pairs of snapshots have none");
  const auto contradiction = [&](Settings these) {
    these.insert({"solver", "sv_lbfgs"});
    return refusal(these);
  };
  EXPECT_EQ(contradiction({{"gradient_steps", "3"}}), "gradient_steps: there are none without gradient_loops");
  EXPECT_EQ(contradiction({{"pair_every", "2"}, {"pairs", "snapshots"}}),
            "pair_every: pairs of snapshots are made once a loop");
  EXPECT_NE(contradiction({{"pair_every", "2"}, {"pairs", "last_step"}}).find("displacement is for any"),
            std::string::npos);
  EXPECT_NO_THROW(karcher_mean(matrices, {{"solver", "sv_lbfgs"}, {"pair_every", "1"}, {"pairs", "last_step"}}));
  EXPECT_NE(refusal({{"gradient_loops", "-1"}, {"solver", "sv_lbfgs"}}), "");
  EXPECT_NE(refusal({{"solver", "krylov"}}), "");
  EXPECT_NE(refusal({{"solver", "svrg"}, {"batch_size", "31"}}), "");
  EXPECT_NE(refusal({{"tolerance", "0"}}), "");
  std::vector<Mat> bad = matrices;
  bad[4](0, 0) = -1;
  EXPECT_NE(error_message<DataError>([&] { karcher_mean(bad); }).find("matrix 5 of 30"), std::string::npos);
  EXPECT_NE(error_message<DataError>([&] { karcher_mean({}); }), "");
}

}  // namespace
}  // namespace quasar
