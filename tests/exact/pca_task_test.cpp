// Principal components and Procrustes' problem: every solver finds the answer that Eigen or a closed form knows.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>

#include "front/manifolds/pca.hpp"
#include "front/manifolds/procrustes.hpp"
#include "manifolds/problems/leading_subspace.hpp"
#include "manifolds/problems/procrustes.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::error_message;

Mat random_matrix(Index rows, Index cols, const char* name) {
  Stream stream = Rng(1).stream(name);
  return euclidean(rows, cols)->random_point(stream);
}

// d x N with standard deviations 1, 1/2, 1/3 ... in random directions, far from 0.
Mat pca_columns(Index d, Index terms) {
  Stream stream = Rng(2).stream("rotation");
  const Mat q = rotations(d)->random_point(stream);
  const Vec sizes = Vec::LinSpaced(d, 1, static_cast<double>(d)).cwiseInverse();
  return (q * sizes.asDiagonal() * random_matrix(d, terms, "normals")).colwise() + Vec::LinSpaced(d, 5, 9);
}

struct StoredColumns final : RowSource {
  explicit StoredColumns(Mat values) : columns(std::move(values)) {}
  Index rows() const override { return columns.cols(); }
  void read(Index begin, Index count, double* to) const override {
    std::copy_n(columns.data() + begin * columns.rows(), count * columns.rows(), to);
  }
  void announce(Index, Index) const override {}
  Mat columns;
};

TEST(Pca, EverySolverFindsTheEigenvectors) {
  const Mat columns = pca_columns(8, 400);
  const Mat centred = columns.colwise() - columns.rowwise().mean();
  const Eigen::SelfAdjointEigenSolver<Mat> answer(centred * centred.transpose() / 399);
  for (const char* solver : {"auto", "exact", "krylov", "lbfgs", "trust_region", "conjugate_gradient",
                             "steepest_descent", "svrg", "vr_pca"}) {
    const Index k = std::string(solver) == "vr_pca" ? 1 : 3;
    const SolvedPca found =
        pca({{}, columns, nullptr}, {{"solver", solver}, {"components", std::to_string(k)}, {"tolerance", "1e-7"}});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << solver << ' ' << found.progress.gradient_norm;
    for (Index i = 0; i < k; ++i) {
      const Vec expected = answer.eigenvectors().col(7 - i);
      EXPECT_NEAR(found.variances[i], answer.eigenvalues()[7 - i], 1e-10) << solver;
      EXPECT_NEAR(std::abs(expected.dot(found.components.col(i))), 1, 1e-9) << solver;
      EXPECT_EQ(found.components.col(i).maxCoeff(), found.components.col(i).cwiseAbs().maxCoeff()) << solver;
    }
    EXPECT_NEAR(found.total, answer.eigenvalues().sum(), 1e-10);
  }
}

// Variances of 5 beside one of 4e8, which the rounding of products goes by.
TEST(Pca, SmallComponentsAreFoundBesideLargeOnes) {
  Mat columns = random_matrix(40, 3000, "normals");
  columns.row(0) *= 2e4;
  columns.row(1) *= 2, columns.row(2) *= 1.5;
  const Mat centred = columns.colwise() - columns.rowwise().mean();
  const Eigen::SelfAdjointEigenSolver<Mat> answer(centred * centred.transpose() / 2999);
  for (const std::string solver : {"krylov", "exact", "trust_region", "lbfgs", "conjugate_gradient"}) {
    const SolvedPca found = pca({{}, columns, nullptr}, {{"solver", solver}, {"components", "3"}});
    const bool converged = found.stop == ManifoldStop::converged;
    EXPECT_TRUE(converged || solver == "lbfgs" || solver == "conjugate_gradient") << solver;
    for (Index i = 0; converged && i < 3; ++i) {
      EXPECT_NEAR(found.variances[i] / answer.eigenvalues()[39 - i], 1, 1e-7) << solver << ' ' << i;
    }
  }
}

// Of minibatches: sgd comes near and stays there, sv_lbfgs with pairs of snapshots arrives.
TEST(Pca, MinibatchesFindTheSubspace) {
  const Mat columns = pca_columns(8, 4000);
  const PcaData data{{}, columns, nullptr};
  const SolvedPca exact = pca(data, {{"solver", "exact"}, {"components", "2"}});
  const auto sine = [&](const SolvedPca& found) {
    return (found.components - exact.components * (exact.components.transpose() * found.components)).norm();
  };
  const SolvedPca rough = pca(data, {{"solver", "sgd"}, {"components", "2"}, {"max_iterations", "10"}});
  EXPECT_EQ(rough.stop, ManifoldStop::iteration_limit);
  EXPECT_LT(sine(rough), 0.1);
  EXPECT_GT(sine(rough), 1e-8);
  const SolvedPca near = pca(data, {{"solver", "sv_lbfgs"}, {"components", "2"}, {"pairs", "snapshots"}});
  EXPECT_EQ(near.stop, ManifoldStop::converged) << near.progress.gradient_norm;
  EXPECT_LT(sine(near), 1e-6);
  const SolvedPca without_pairs =
      pca(data, {{"solver", "sv_lbfgs"}, {"components", "2"}, {"pairs", "snapshots"}, {"least_curvature", "1e9"}});
  EXPECT_NE(without_pairs.progress.passes, near.progress.passes);
}

TEST(Pca, CentersAndScales) {
  const Mat columns = pca_columns(6, 300);
  const Vec mean = columns.rowwise().mean();
  Mat centred = columns.colwise() - mean;
  const Vec sd = (centred.rowwise().squaredNorm() / 299).cwiseSqrt();
  const auto found = [&](const Mat& data, const char* center, const char* scale) {
    return pca({{}, data, nullptr}, {{"solver", "exact"}, {"center", center}, {"scale", scale}});
  };
  const SolvedPca both = found(columns, "true", "true"), as_it_is = found(columns, "false", "false");
  EXPECT_LT((both.mean - mean).norm(), 1e-12);
  EXPECT_LT((both.scale - sd).norm(), 1e-12);
  EXPECT_NEAR(both.total, 6, 1e-12);  // each variable has variance 1
  EXPECT_LT((both.components - found(sd.cwiseInverse().asDiagonal() * centred, "true", "false").components).norm(),
            1e-10);
  EXPECT_EQ(as_it_is.mean, Vec::Zero(6));
  EXPECT_NEAR(as_it_is.total, columns.squaredNorm() / 300, 1e-10);
  EXPECT_GT(std::abs(as_it_is.components.col(0).dot(mean.normalized())), 0.99);  // the data is far from 0
  const SolvedPca scaled = found(columns, "false", "true");
  EXPECT_LT((scaled.scale - Vec((columns.rowwise().squaredNorm() / 300).cwiseSqrt())).norm(), 1e-12);
}

// A block of one vector, gaps that need more of them than the basis holds: it is cut back, and goes on.
TEST(Pca, KrylovRestartsWithItsBestVectors) {
  const Vec variances = Vec::LinSpaced(60, 1, 2);
  const Mat columns = (60 * variances).cwiseSqrt().asDiagonal();
  const Settings given{{"solver", "krylov"}, {"components", "1"}, {"oversampling", "0"}, {"center", "false"}};
  const SolvedPca found = pca({{}, columns, nullptr}, given);
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_GT(found.progress.passes, 21);  // more than the 20 blocks of a basis
  EXPECT_NEAR(found.variances[0], 2, 1e-12);
  EXPECT_LT((found.components - Mat(Vec::Unit(60, 59))).norm(), 1e-6);
}

TEST(Pca, AutoTakesTheLimitsOfWhatItChooses) {
  const Mat columns = pca_columns(40, 200);
  const SolvedPca limited = pca({{}, columns, nullptr}, {{"max_iterations", "1"}, {"oversampling", "0"}});
  EXPECT_EQ(limited.solver, "krylov");
  EXPECT_EQ(limited.stop, ManifoldStop::iteration_limit);
  EXPECT_EQ(limited.progress.steps, 1);
  const SolvedPca wide = pca({{}, columns.topRows(3), nullptr}, {{"max_iterations", "1"}});
  EXPECT_EQ(wide.solver, "exact");
  EXPECT_EQ(wide.stop, ManifoldStop::converged);
}

TEST(Pca, StopsBetweenBlocksWhenTold) {
  const Mat columns = pca_columns(50, 40000);
  const Watch stop_later = throughout([](const Progress&) { return false; });
  const SolvedPca krylov = pca({{}, columns, nullptr}, {{"solver", "krylov"}, {"threads", "1"}}, stop_later);
  EXPECT_EQ(krylov.stop, ManifoldStop::interrupted);
  const auto data = terms_in_memory(columns);
  int asked = 0;
  EXPECT_EQ(second_moments(*data, 2, [&] { return ++asked < 3; }).size(), 0);
  EXPECT_EQ(asked, 3);
  Mat out(50, 1);
  EXPECT_FALSE(times_data(*data, Mat::Ones(50, 1), 1, out, [] { return false; }));
  EXPECT_TRUE(times_data(*data, Mat::Ones(50, 1), 1, out, [] { return true; }));
  EXPECT_LT((out - columns * columns.transpose() * Mat::Ones(50, 1) / 40000).norm(), 1e-10 * out.norm());
}

TEST(Pca, TellsOfStepsThatLedNowhere) {
  const PcaData data{{}, pca_columns(5, 300), nullptr};
  for (const char* step : {"1e300", "1e160"}) {
    const Settings given{{"solver", "vr_pca"}, {"components", "1"}, {"step_size", step}};
    EXPECT_NE(error_message<RunError>([&] { pca(data, given); }).find("Try a smaller step_size"), std::string::npos)
        << step;
  }
}

// Loops that would take years.
TEST(Pca, StopsWithinALoop) {
  const PcaData data{{}, pca_columns(5, 300), nullptr};
  const Settings vr_pca{{"solver", "vr_pca"}, {"components", "1"}, {"inner_steps", "1000000000000"}};
  const Settings sv_lbfgs{
      {"solver", "sv_lbfgs"}, {"components", "2"}, {"gradient_loops", "1"}, {"gradient_steps", "1000000000000"}};
  for (Settings given : {vr_pca, sv_lbfgs}) {
    int asked = 0;
    const SolvedPca stopped = pca(data, given, throughout([&](const Progress&) { return ++asked < 3; }));
    EXPECT_EQ(asked, 3);
    EXPECT_GT(stopped.progress.passes, 10);
    given["max_passes"] = "3.5";
    const double looks = given["solver"] == "vr_pca" ? 1 : 2;  // at the end, and three passes at the start
    EXPECT_NEAR(pca(data, given).progress.passes, 3.5 + 3 + looks, 0.4);
  }
}

TEST(Pca, StoredRowsAndAnyThreadsGiveTheSameBits) {
  const Mat columns = pca_columns(30, 20000);
  const auto stored = std::make_shared<StoredColumns>(columns);
  const std::vector<std::string> names(30, "x");
  for (const char* solver : {"exact", "krylov", "lbfgs", "svrg"}) {
    Settings given{{"solver", solver}, {"threads", "1"}, {"max_iterations", "3"}};
    if (std::string(solver) == "exact") given.erase("max_iterations");
    const SolvedPca one = pca({names, columns, nullptr}, given);
    given["threads"] = "3";
    const SolvedPca three = pca({names, columns, nullptr}, given), read = pca({names, {}, stored}, given);
    EXPECT_EQ(one.components, three.components) << solver;
    EXPECT_EQ(one.components, read.components) << solver;
  }
}

// Sums of 0.1 round: a mean of them is not 0.1, unless what is summed is 0.
TEST(Pca, ConstantColumnsHaveNoVariance) {
  constexpr Index rows = 10000;
  const Mat same = Mat::Constant(2, rows, 0.1);
  Mat one_varies = same;
  one_varies.row(1) = random_matrix(1, rows, "normals");
  const std::vector<std::string> names = {"same", "other"};
  const auto both = [&](const Mat& columns, const auto& use) {
    use(PcaData{names, columns, nullptr});
    use(PcaData{names, {}, std::make_shared<StoredColumns>(columns)});
  };
  both(one_varies, [](const PcaData& data) {
    EXPECT_EQ(error_message<DataError>([&] {
                pca(data, {{"scale", "true"}});
              }),
              "column 1 ('same') is constant and cannot be scaled; leave it out, or use scale=false");
    EXPECT_EQ(pca(data).rank, 1);
  });
  both(same, [](const PcaData& data) {
    for (const char* solver : {"exact", "krylov", "lbfgs"}) {
      const SolvedPca found = pca(data, {{"solver", solver}});
      EXPECT_EQ(found.total, 0) << solver;
      EXPECT_EQ(found.variances, Vec::Zero(2)) << solver;
      EXPECT_EQ(found.rank, 0) << solver;
      EXPECT_EQ(found.mean, Vec::Constant(2, 0.1)) << solver;
    }
  });
  const double little = 1e-15;  // is no constant: it is what it is
  one_varies(0, 7) += little;
  const double scale = pca({{}, one_varies, nullptr}, {{"scale", "true"}}).scale[0];
  EXPECT_NEAR(scale * std::sqrt(rows - 1) / little, 1, 0.02);
}

TEST(Pca, BeyondTheRankVariancesAreZero) {
  const Mat columns = pca_columns(6, 3);
  for (const char* solver : {"exact", "krylov"}) {
    const SolvedPca found = pca({{}, columns, nullptr}, {{"solver", solver}, {"components", "5"}});
    EXPECT_EQ(found.rank, 2) << solver;
    EXPECT_LT(found.variances.tail(3).maxCoeff(), 1e-12 * found.variances[0]);
    EXPECT_LT((found.components.transpose() * found.components - Mat::Identity(5, 5)).norm(), 1e-12) << solver;
  }
}

TEST(Pca, RefusesSquaresThatAreNoNumbers) {
  const Mat columns = pca_columns(4, 20);
  Mat one_small = columns;
  one_small.row(1) *= 1e-170;
  const auto why = [](const Mat& data, const char* scale) {
    return error_message<DataError>([&] { pca({{}, data, nullptr}, {{"scale", scale}}); });
  };
  EXPECT_NE(why(1e200 * columns, "false").find("overflow"), std::string::npos);
  EXPECT_NE(why(1e-170 * columns, "false").find("underflow"), std::string::npos);
  EXPECT_NE(why(one_small, "true").find("underflow"), std::string::npos);
  EXPECT_NO_THROW(pca({{}, one_small, nullptr}));
}

TEST(Pca, RefusesWhatItCannotDo) {
  Mat columns = pca_columns(4, 20);
  const auto usage = [&](const Settings& given) {
    return error_message<UsageError>([&] { pca({{}, columns, nullptr}, given); });
  };
  EXPECT_NE(usage({{"components", "5"}}).find("4 columns"), std::string::npos);
  EXPECT_NE(usage({{"components", "4"}, {"solver", "lbfgs"}}).find("fewer"), std::string::npos);
  EXPECT_NE(usage({{"components", "2"}, {"solver", "vr_pca"}}).find("vr_pca"), std::string::npos);
  EXPECT_NE(usage({{"memory", "2"}, {"solver", "krylov"}}).find("does not take"), std::string::npos);
  EXPECT_NE(error_message<DataError>([&] {
              pca({{}, columns.leftCols(1), nullptr});
            }).find("2 rows"),
            std::string::npos);
  columns.row(2).setConstant(3);
  EXPECT_NE(error_message<DataError>([&] {
              pca({{}, columns, nullptr}, {{"scale", "true"}});
            }).find("column 3"),
            std::string::npos);
  columns(1, 6) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_message<DataError>([&] { pca({{}, columns, nullptr}); }).find("row 7, column 2"), std::string::npos);
}

TEST(LeadingSubspace, HasTheDerivativesOfItsCost) {
  LeadingSubspace problem(terms_in_memory(pca_columns(7, 50)), 2);
  Stream stream = Rng(3).stream("point");
  const Mat x = problem.manifold().random_point(stream);
  EXPECT_TRUE(check_gradient(problem, x).ok) << check_gradient(problem, x).message;
  EXPECT_TRUE(check_hessian(problem, x).ok) << check_hessian(problem, x).message;
}

TEST(Procrustes, HasTheDerivativesOfItsCost) {
  Procrustes problem(random_matrix(20, 5, "a"), random_matrix(20, 3, "b"));
  Stream stream = Rng(4).stream("point");
  const Mat q = problem.manifold().random_point(stream);
  EXPECT_TRUE(check_gradient(problem, q).ok) << check_gradient(problem, q).message;
  EXPECT_TRUE(check_hessian(problem, q).ok) << check_hessian(problem, q).message;
}

TEST(Procrustes, FindsTheMatrixThatWasApplied) {
  const Mat a = random_matrix(20, 5, "a");
  Stream stream = Rng(5).stream("q");
  for (const Index p : {5, 3}) {
    const Mat q = stiefel(5, p)->random_point(stream);
    const SolvedProcrustes found = procrustes(a, a * q);
    EXPECT_EQ(found.solver, p == 5 ? "closed_form" : "trust_region");
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_LT((found.q - q).norm(), 1e-7) << p;
    EXPECT_LT(found.residual, 1e-6);
  }
  Mat mirror = Mat::Identity(5, 5);
  mirror(0, 0) = -1;
  EXPECT_NEAR(procrustes(a, a * mirror, {{"rotation", "true"}}).q.determinant(), 1, 1e-12);
  EXPECT_NEAR(procrustes(a, a * mirror).q.determinant(), -1, 1e-12);
  EXPECT_NE(error_message<DataError>([&] { procrustes(a, Mat::Zero(19, 5)); }).find("19"), std::string::npos);
  EXPECT_NE(error_message<DataError>([&] { procrustes(1e-160 * a, 1e-160 * a); }).find("underflow"), std::string::npos);
  EXPECT_EQ(procrustes(a, Mat::Zero(20, 3)).stop, ManifoldStop::converged);  // where A is shortest, whatever B is
  EXPECT_NE(error_message<DataError>([&] { procrustes(a, Mat::Zero(20, 6)); }), "");
  EXPECT_NE(error_message<UsageError>([&] { procrustes(a, a.leftCols(2), {{"rotation", "true"}}); }), "");
}

}  // namespace
}  // namespace quasar
