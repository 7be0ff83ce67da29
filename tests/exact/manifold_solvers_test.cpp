// Solvers on manifolds: known answers, counts of iterations and of passes over the data, and what each step keeps.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>

#include "solvers/manifold/conjugate_gradient.hpp"
#include "solvers/manifold/decorators.hpp"
#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/sgd.hpp"
#include "solvers/manifold/steepest_descent.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"
#include "solvers/manifold/trust_region.hpp"
#include "solvers/manifold/vr_pca.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::EigenData;
using test::error_message;

// Each of the solvers with all terms.
template <class Test>
void with_each_solver(ManifoldProblem& problem, Test test) {
  test("steepest descent", ManifoldDescent(problem));
  test("conjugate gradient", ManifoldConjugateGradient(problem));
  test("L-BFGS", ManifoldLbfgs(problem));
  test("L-BFGS, cheap moves", ManifoldLbfgs(problem, {.moves = Moves::cheap}));
  test("trust region", ManifoldTrustRegion(problem));
}

void expect_minimum(ManifoldProblem& problem, const Mat& start, const Mat& answer, double tolerance) {
  with_each_solver(problem, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-9, .max_steps = 500});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name << ", gradient " << found.progress.gradient_norm;
    EXPECT_LT((found.x - answer).norm(), tolerance) << name << "\n" << found.x;
  });
}

Mat sqrt_of(const Mat& a) { return Eigen::SelfAdjointEigenSolver<Mat>(a).operatorSqrt(); }

const Mat matrix_a{{2, 1}, {1, 3}}, matrix_b{{4, -1}, {-1, 1}};

TEST(KarcherMeanOfTwo, IsTheGeometricMean) {
  KarcherMean problem({matrix_a, matrix_b});
  const Mat printed{{2.54636075, -0.10343092}, {-0.10343092, 1.52518896}};
  const Mat root = sqrt_of(matrix_a), mean = root * sqrt_of(root.inverse() * matrix_b * root.inverse()) * root;
  const double a = std::sqrt(matrix_a.determinant()), b = std::sqrt(matrix_b.determinant());
  const Mat sum = matrix_a / a + matrix_b / b;
  EXPECT_LT((mean - printed).norm(), 2e-8);
  EXPECT_LT((mean - std::sqrt(a * b) * sum / std::sqrt(sum.determinant())).norm(), 1e-14);
  EXPECT_LT((mean * matrix_a.inverse() * mean - matrix_b).norm(), 1e-13);
  const Manifold& m = problem.manifold();
  EXPECT_LT((m.log(mean, matrix_a) + m.log(mean, matrix_b)).norm(), 1e-13);
  expect_minimum(problem, matrix_a, mean, 1e-8);
}

TEST(KarcherMean, OfCommutingMatricesIsTakenEntryByEntry) {
  const auto diagonal = [](double first, double second) -> Mat { return Vec{{first, second}}.asDiagonal(); };
  KarcherMean problem({diagonal(1, 4), diagonal(4, 9), diagonal(2, 6)});
  expect_minimum(problem, matrix_a, diagonal(2, 6), 1e-8);
}

TEST(KarcherMean, FollowsCongruencesAndInversesAndKeepsTheMeanDeterminant) {
  const std::vector<Mat> matrices = test::random_spds(4, 7, 50, Rng(1));
  Stream stream = Rng(1).stream("congruence");
  const Mat c = euclidean(4, 4)->random_point(stream);
  std::vector<Mat> congruent, inverse;
  double log_determinant = 0;
  for (const Mat& w : matrices) {
    const Mat moved = c * w * c.transpose(), inverted = w.inverse();
    congruent.push_back(0.5 * (moved + moved.transpose()));
    inverse.push_back(0.5 * (inverted + inverted.transpose()));
    log_determinant += std::log(w.determinant()) / static_cast<double>(matrices.size());
  }
  const auto mean_of = [](const std::vector<Mat>& all) {
    KarcherMean problem(all);
    return minimize(ManifoldLbfgs(problem), all.front(), {.gradient_norm = 1e-11}).x;
  };
  const Mat mean = mean_of(matrices);
  EXPECT_LT((mean_of(congruent) - c * mean * c.transpose()).norm(), 1e-9 * mean.norm());
  EXPECT_LT((mean_of(inverse) - mean.inverse()).norm(), 1e-10);
  EXPECT_NEAR(std::log(mean.determinant()), log_determinant, 1e-10);
}

TEST(KarcherMean, HasTheGradientOfItsCost) {
  KarcherMean problem(test::random_spds(4, 5, 30, Rng(2)));
  Stream stream = Rng(2).stream("point");
  const Mat x = problem.manifold().random_point(stream), u = problem.manifold().random_tangent(x, stream);
  const SlopeCheck check = check_gradient(problem, x);
  EXPECT_TRUE(check.ok) << check.message;
  Mat all = x, batch = x, sum = Mat::Zero(4, 4);
  EXPECT_NEAR(problem.gradient(x, all), problem.value(x), 1e-12);
  for (const Index i : {0, 1, 2, 3, 4}) {
    problem.mean_gradient(x, std::span(&i, 1), batch);
    EXPECT_LT((batch + 2 * problem.manifold().log(x, problem.matrices()[static_cast<std::size_t>(i)])).norm(), 1e-11);
    sum += batch / 5;
  }
  EXPECT_LT((all - sum).norm(), 1e-11);
}

// 2 <= Hess <= 2 z coth z with z = diameter / sqrt 2: steps of 0.4 divide the error by 5 while Hess <= 3, which holds
// for the smaller condition numbers.
TEST(KarcherMean, ConvergesInAsManySteps) {
  struct Case {
    double condition;
    int most, most_of_lbfgs;
  };
  for (const auto& [condition, most, most_of_lbfgs] : {Case{10, 22, 10}, {100, 22, 12}, {1000, 36, 14}}) {
    KarcherMean problem(test::random_spds(5, 60, condition, Rng(3)));
    const test::Karcher reference = test::karcher_by_fixed_steps(problem);
    EXPECT_LE(reference.iterations, most) << condition;
    const ManifoldOptimum found =
        minimize(ManifoldLbfgs(problem), problem.matrices().front(), {.gradient_norm = 1e-10});
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_LT((found.x - reference.mean).norm(), 1e-9 * reference.mean.norm()) << condition;
    EXPECT_LE(found.progress.steps, most_of_lbfgs) << condition;
  }
}

// The cost has lost half of its digits here, the gradient not.
TEST(KarcherMean, IsFoundForBadlyConditionedMatrices) {
  for (const double condition : {1e4, 1e5, 1e6}) {
    KarcherMean problem(test::random_spds(5, 60, condition, Rng(3)));
    with_each_solver(problem, [&](const char* name, auto solver) {
      const ManifoldOptimum found = minimize(solver, problem.matrices().front(), {.max_passes = 200});
      EXPECT_EQ(found.stop, ManifoldStop::converged)
          << name << ", condition " << condition << ", gradient " << found.progress.gradient_norm << " after "
          << found.progress.passes << " passes";
      const ManifoldOptimum rounding = minimize(solver, problem.matrices().front(), {.gradient_norm = 0});
      EXPECT_EQ(rounding.stop, ManifoldStop::no_decrease) << name << ", condition " << condition;
      EXPECT_LE(rounding.progress.passes, 500) << name << ", condition " << condition;
    });
  }
}

TEST(KarcherMean, HasTheSameBitsForAnyNumberOfThreads) {
  for (const Index n : {1, 2, 17}) {
    Stream stream = Rng(5).stream("threads");
    std::vector<Mat> matrices;
    for (int i = 0; i < 101; ++i) matrices.push_back(spd(n)->random_point(stream));
    const std::vector<Index> batch = {3, 99, 4, 4, 50};
    KarcherMean alone(matrices);
    Mat expected(n, n), expected_batch(n, n), found(n, n);
    const double value = alone.gradient(matrices[7], expected);
    alone.mean_gradient(matrices[7], batch, expected_batch);
    for (const Index threads : {0, 2, 3}) {
      KarcherMean shared(matrices, threads);
      EXPECT_EQ(shared.gradient(matrices[7], found), value);
      EXPECT_EQ(found, expected);
      EXPECT_EQ(shared.value(matrices[7]), alone.value(matrices[7]));
      shared.mean_gradient(matrices[7], batch, found);
      EXPECT_EQ(found, expected_batch);
    }
  }
}

TEST(KarcherMean, AgreesWithTheSumOfLogarithms) {
  for (const Index n : {1, 2, 5, 15, 16, 17, 64}) {
    Stream stream = Rng(6).stream("sizes");
    const ManifoldPtr manifold = spd(n);
    std::vector<Mat> matrices;
    for (int i = 0; i < 5; ++i) matrices.push_back(manifold->random_point(stream));
    matrices.push_back(Mat::Identity(n, n));  // all of its eigenvalues are the same
    const Mat x = manifold->random_point(stream);
    Mat expected = Mat::Zero(n, n), found(n, n);
    double squares = 0;
    for (const Mat& matrix : matrices) {
      expected -= 2.0 / 6 * manifold->log(x, matrix);
      squares += std::pow(manifold->distance(x, matrix), 2) / 6;
    }
    KarcherMean mean(matrices);
    EXPECT_NEAR(mean.gradient(x, found), squares, 1e-12 * squares);
    EXPECT_NEAR(mean.value(x), squares, 1e-12 * squares);
    EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm()) << n;
  }
}

TEST(KarcherMean, RefusesWhatHasNone) {
  EXPECT_THROW(KarcherMean({}), DataError);
  EXPECT_EQ(error_message<DataError>([] {
              KarcherMean({matrix_a, Mat{{1, 2}, {2, 1}}});
            }),
            "matrix 2 of 2: it is not positive definite: its smallest eigenvalue is -1");
  EXPECT_EQ(error_message<DataError>([] {
              KarcherMean({matrix_a, Mat::Identity(3, 3)});
            }),
            "matrix 2 of 2: it is 3 x 3, not 2 x 2");
  EXPECT_THROW(LeadingEigenvector(Mat::Constant(3, 2, std::numeric_limits<double>::quiet_NaN())), DataError);
  EXPECT_THROW(LeadingEigenvector(Mat(3, 0)), DataError);
}

TEST(LeadingEigenvector, HasTheGradientAndTheHessianOfItsCost) {
  const EigenData d(8, 20, 0.1, Rng(4));
  LeadingEigenvector problem(d.data);
  Stream stream = Rng(4).stream("point");
  const Mat z = problem.manifold().random_point(stream);
  const SlopeCheck gradient = check_gradient(problem, z), hessian = check_hessian(problem, z);
  EXPECT_TRUE(gradient.ok) << gradient.message;
  EXPECT_TRUE(hessian.ok) << hessian.message;
  EXPECT_NEAR(1 + problem.value(z), d.error(z), 1e-14);
  std::vector<Index> everything(20);
  std::iota(everything.begin(), everything.end(), 0);
  Mat all = z, batch = z;
  problem.gradient(z, all);
  problem.mean_gradient(z, everything, batch);
  EXPECT_LT((all - batch).norm(), 1e-14);
}

TEST(LeadingEigenvector, IsFoundByEachSolverFromARandomStart) {
  const EigenData d(12, 60, 0.2, Rng(5));
  LeadingEigenvector problem(d.data);
  Stream stream = Rng(5).stream("start");
  const Mat start = problem.manifold().random_point(stream);
  with_each_solver(problem, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 3000});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_LT(d.error(found.x), 1e-13) << name;
  });
}

struct EigenSetting {
  EigenData data;
  LeadingEigenvector problem;
  explicit EigenSetting(double gap, Index d = 30, Index terms = 1000)
      : data(d, terms, gap, Rng(12)), problem(data.data) {}
  Mat start() const { return data.start(1e-2, Rng(12)); }
  StopRules rules(double max_passes) const {
    return {.max_passes = max_passes, .error = [this](MatIn z) { return data.error(z); }, .least_error = 1e-12};
  }
};

std::int64_t lbfgs_iterations(double gap) {
  const EigenData d(30, 1000, gap, Rng(6));
  LeadingEigenvector problem(d.data);
  const StopRules rules{.max_steps = 200, .error = [&](MatIn z) { return d.error(z); }, .least_error = 1e-12};
  const ManifoldOptimum found = minimize(ManifoldLbfgs(problem), d.start(1e-2, Rng(6)), rules);
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  return found.progress.steps;
}

TEST(Lbfgs, NeedsFewIterations) {
  EXPECT_LE(lbfgs_iterations(0.1), 12);
  EXPECT_LE(lbfgs_iterations(0.02), 60);
}

TEST(TrustRegion, ConvergesFasterThanLinearly) {
  const EigenData d(30, 200, 0.05, Rng(7));
  LeadingEigenvector problem(d.data);
  std::vector<Recorded<ManifoldTrustRegion>::Row> rows;
  Recorded solver(ManifoldTrustRegion(problem), rows, [&](MatIn z) { return d.error(z); });
  const ManifoldOptimum found = minimize(solver, d.start(1e-2, Rng(7)), {.gradient_norm = 1e-12});
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.steps, 12);
  const double last = rows.back().progress.gradient_norm, before = rows[rows.size() - 2].progress.gradient_norm;
  EXPECT_LT(last, 0.01 * before);
}

// x'Ax / 2 on the sphere with eigenvalues from 1 to 1000: badly conditioned.
std::unique_ptr<ManifoldProblem> spread_eigenvalues() {
  const Vec values = (std::log(1000.0) * Vec::LinSpaced(30, 0, 1).array()).exp();
  return make_problem(sphere(30), {[values](MatIn x) { return 0.5 * x.col(0).dot(values.cwiseProduct(x.col(0))); },
                                   [values](MatIn x, MatOut g) { g = values.cwiseProduct(x.col(0)); },
                                   [values](MatIn, MatIn u, MatOut h) { h = values.cwiseProduct(u.col(0)); }});
}

TEST(TrustRegion, StaysInTheBallAndReachesItsEdge) {
  const auto problem = spread_eigenvalues();
  ManifoldTrustRegion solver(*problem, {.largest_radius = 0.3});
  auto state = solver.init(Vec::Constant(30, 1 / std::sqrt(30.0)));
  int at_edge_after_many = 0;
  for (int k = 0; k < 30; ++k) {
    const std::int64_t hessians = state.hessians;
    const double radius = state.radius;
    solver.step(state);
    EXPECT_LE(state.step.norm(), radius * (1 + 1e-10));
    if (state.hessians - hessians > 2 && state.step.norm() > radius * (1 - 1e-10)) ++at_edge_after_many;
  }
  EXPECT_GT(at_edge_after_many, 0);
}

// Of a quadratic cost on a flat space the model is the cost.
TEST(TrustRegion, TrustsAModelThatIsRight) {
  const Vec values{{1, 2, 5}};
  const auto problem =
      make_problem(euclidean(3), {[&](MatIn x) { return 0.5 * x.col(0).dot(values.cwiseProduct(x.col(0))); },
                                  [&](MatIn x, MatOut g) { g = values.cwiseProduct(x.col(0)); },
                                  [&](MatIn, MatIn u, MatOut h) { h = values.cwiseProduct(u.col(0)); }});
  ManifoldTrustRegion solver(*problem);
  auto state = solver.init(Vec::Constant(3, 4));
  const double first = state.radius;
  for (const double times : {2, 4, 8}) {
    solver.step(state);
    EXPECT_EQ(state.radius, times * first);
  }
  EXPECT_EQ(state.refused, 0);
}

// Without second derivatives too, whose differences have to be long where the point is far away.
TEST(TrustRegion, WalksFarInAFlatSpace) {
  const Vec target{{5000, -3000}};
  const auto problem = make_problem(euclidean(2), {[&](MatIn x) { return 0.5 * (x - target).squaredNorm(); },
                                                   [&](MatIn x, MatOut g) { g = x - target; }, nullptr});
  const ManifoldOptimum found = minimize(ManifoldTrustRegion(*problem), Vec::Zero(2));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LT((found.x - target).norm(), 1e-8);
  EXPECT_LE(found.progress.steps, 20);
}

TEST(HessianByDifferences, IsRightFarAway) {
  const auto problem = make_problem(
      euclidean(2), {[](MatIn x) { return 0.5 * x.squaredNorm(); }, [](MatIn x, MatOut g) { g = x; }, nullptr});
  const Mat u = Vec{{0.6, 0.8}};
  Mat along_u = u;
  for (const double away : {1.0, 1e3, 1e6}) {
    problem->hessian(Vec{{5 * away, -3 * away}}, u, along_u);
    EXPECT_LT((along_u - u).norm(), 1e-7 * std::sqrt(away)) << away;
  }
}

// x^4 / 4 where x <= 1: the cost ends there as one does where a matrix has no Cholesky factor.
struct EndingCost final : ManifoldProblem {
  const Manifold& manifold() const override { return *line; }
  double value(MatIn x) override {
    if (x(0, 0) > 1) throw DataError("not positive definite");
    return 0.25 * std::pow(x(0, 0), 4);
  }
  double gradient(MatIn x, MatOut gradient) override {
    gradient(0, 0) = std::pow(x(0, 0), 3);
    return value(x);
  }
  ManifoldPtr line = euclidean(1);
};

TEST(HessianByDifferences, IsThatOfTheOtherSideWhereTheCostEnds) {
  EndingCost problem;
  const Mat at_end = Mat::Ones(1, 1);
  Mat found = at_end;
  for (const double along : {1, -1}) {
    problem.hessian(at_end, along * at_end, found);
    EXPECT_NEAR(found(0, 0), 3 * along, 1e-6);
  }
}

// -tr X'AX over frames and subspaces, whose Hessians have parts out of the tangent space that have to be taken off.
AmbientCost sum_of_variances(const Mat& a, bool with_second) {
  AmbientCost cost{[a](MatIn x) { return -0.5 * x.cwiseProduct(a * x).sum(); }, [a](MatIn x, MatOut g) { g = -a * x; },
                   nullptr};
  if (with_second) {
    cost.second = [a](MatIn, MatIn u, MatOut h) { h = -a * u; };
  }
  return cost;
}

TEST(HessianByDifferences, IsTangent) {
  Stream stream = Rng(31).stream("data");
  const Mat data = euclidean(30, 200)->random_point(stream), a = data * data.transpose() / 200;
  for (const ManifoldPtr& manifold : {grassmann(30, 3), stiefel(30, 3)}) {
    const auto problem = make_problem(manifold, sum_of_variances(a, false));
    const Mat x = manifold->random_point(stream), u = manifold->random_tangent(x, stream);
    Mat along_u = u;
    problem->hessian(x, u, along_u);
    EXPECT_LT((manifold->project(x, along_u) - along_u).norm(), 1e-14 * along_u.norm());
  }
}

TEST(TrustRegion, StaysOnTheManifoldToTheLastDigit) {
  Stream stream = Rng(29).stream("data");
  const Mat data = euclidean(30, 200)->random_point(stream), a = data * data.transpose() / 200;
  // Frames of the same subspace cost the same: rounding alone chooses among them.
  for (const auto& [manifold, shortest] : {std::pair{grassmann(30, 3), 1e-12}, {stiefel(30, 3), 1e-7}}) {
    for (const bool given : {false, true}) {
      const auto problem = make_problem(manifold, sum_of_variances(a, given));
      for (int k = 0; k < 10; ++k) {
        const Mat start = manifold->random_point(stream);
        for (const double tolerance : {1e-8, 0.0}) {
          const ManifoldOptimum found =
              minimize(ManifoldTrustRegion(*problem), start, {.gradient_norm = tolerance, .max_steps = 200});
          EXPECT_EQ(found.stop, tolerance > 0 ? ManifoldStop::converged : ManifoldStop::no_decrease);
          EXPECT_LT((found.x.transpose() * found.x - Mat::Identity(3, 3)).norm(), 1e-13);
          EXPECT_LT(found.progress.gradient_norm, std::max(tolerance, shortest));
          EXPECT_EQ(found.progress.halvings, 0);
          EXPECT_LE(found.progress.steps, tolerance > 0 ? 40 : 200);
        }
      }
    }
  }
}

TEST(TangentPairs, AreForgottenWhereAProjectionMakesThemUseless) {
  const ManifoldPtr m = stiefel(3, 1);
  const Vec e1{{1, 0, 0}}, e2{{0, 1, 0}}, e3{{0, 0, 1}};
  TangentPairs pairs(*m, 3);
  EXPECT_TRUE(pairs.add(e1, e2, e2, 0));
  EXPECT_TRUE(pairs.add(e1, e3, 2 * e3, 0));
  EXPECT_FALSE(pairs.add(e1, e3, -e3, 0));
  pairs.carry(Moves(*m, Moves::cheap), e1, e2);  // e2 is no tangent vector there
  ASSERT_EQ(pairs.pairs(), 1);
  EXPECT_EQ(pairs.z(0), e3);
}

TEST(ConjugateGradient, NeedsFarFewerStepsThanSteepestDescent) {
  const auto problem = spread_eigenvalues();
  const Mat start = Vec::Constant(30, 1 / std::sqrt(30.0));
  const StopRules rules{.gradient_norm = 1e-6, .max_steps = 5000};
  const ManifoldOptimum conjugate = minimize(ManifoldConjugateGradient(*problem), start, rules);
  const ManifoldOptimum steepest = minimize(ManifoldDescent(*problem), start, rules);
  EXPECT_EQ(conjugate.stop, ManifoldStop::converged);
  EXPECT_LT(8 * conjugate.progress.steps, steepest.progress.steps);
}

// min |A X - B| over rotations: X = U diag(1, .., det UV') V' from A'B = U S V'.
TEST(Procrustes, IsSolvedByEachSolver) {
  Stream stream = Rng(8).stream("data");
  const Mat a = euclidean(9, 4)->random_point(stream), b = euclidean(9, 4)->random_point(stream);
  const Eigen::JacobiSVD<Mat> svd(a.transpose() * b, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec signs = Vec::Ones(4);
  signs[3] = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  const Mat answer = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  const Mat gram = a.transpose() * a, cross = a.transpose() * b;
  const auto problem = make_problem(rotations(4), {[&](MatIn x) { return 0.5 * (a * x - b).squaredNorm(); },
                                                   [&](MatIn x, MatOut g) { g = gram * x - cross; },
                                                   [&](MatIn, MatIn u, MatOut h) { h = gram * u; }});
  const Mat start = rotations(4)->exp(answer, 0.5 * rotations(4)->random_tangent(answer, stream));
  expect_minimum(*problem, start, answer, 1e-7);
}

// Principal subspaces: -tr X'AX / 2 over Grassmann, and with weights, -tr X'AX N / 2, each eigenvector over Stiefel.
TEST(PrincipalComponents, AreFoundOnGrassmannAndStiefel) {
  const EigenData d(10, 40, 0.3, Rng(9));
  Vec values = d.values;
  values.head(3) << 3, 2, 1.5;
  const Mat a = d.vectors * values.asDiagonal() * d.vectors.transpose(), leading = d.vectors.leftCols(3);
  Stream stream = Rng(9).stream("start");
  const auto cost = [&](const Mat& weights) {
    return AmbientCost{[&a, weights](MatIn x) { return -0.5 * x.cwiseProduct(a * x * weights).sum(); },
                       [&a, weights](MatIn x, MatOut g) { g = -a * x * weights; },
                       [&a, weights](MatIn, MatIn u, MatOut h) { h = -a * u * weights; }};
  };
  const Mat start = grassmann(10, 3)->random_point(stream);
  const auto subspace = make_problem(grassmann(10, 3), cost(Mat::Identity(3, 3)));
  with_each_solver(*subspace, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 500});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_LT((found.x * found.x.transpose() - leading * leading.transpose()).norm(), 1e-6) << name;
  });
  const Mat weights = Vec{{3, 2, 1}}.asDiagonal();
  const auto frame = make_problem(stiefel(10, 3), cost(weights));
  with_each_solver(*frame, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 2000});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_GT((leading.transpose() * found.x).cwiseAbs().diagonal().minCoeff(), 1 - 1e-10) << name;
  });
}

// --- Stochastic solvers ---------------------------------------------------------------------------------------------

struct KarcherSetting {
  KarcherMean problem;
  Mat answer;
  explicit KarcherSetting(double condition)
      : problem(test::random_spds(5, 60, condition, Rng(10))), answer(test::karcher_by_fixed_steps(problem).mean) {}
  Mat start() const { return problem.matrices().front(); }
  StopRules rules(double max_passes = 100) const {
    return {.max_passes = max_passes,
            .error = [this](MatIn x) { return (x - answer).squaredNorm(); },
            .least_error = 1e-12};
  }
};

const BatchParams karcher_batches{.batch_size = 10, .inner_steps = 6};

TEST(SvLbfgs, FindsTheKarcherMeanInFewPasses) {
  for (const auto& [condition, most] : {std::pair{10.0, 16.0}, {1000.0, 20.0}}) {
    KarcherSetting setting(condition);
    for (const auto pairs : {ManifoldSvLbfgs::last_step, ManifoldSvLbfgs::displacement}) {
      const ManifoldSvLbfgs solver(
          setting.problem,
          {.first_step = 0.05, .step_size = 0.5, .memory = 2, .pairs = pairs, .batches = karcher_batches}, Rng(11));
      const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules());
      EXPECT_EQ(found.stop, ManifoldStop::converged);
      EXPECT_LE(found.progress.passes, most) << condition;
    }
    const ManifoldSvLbfgs cheap(
        setting.problem, {.first_step = 0.05, .step_size = 0.5, .batches = karcher_batches, .moves = Moves::cheap},
        Rng(11));
    const ManifoldOptimum found = minimize(cheap, setting.start(), setting.rules());
    EXPECT_EQ(found.stop, ManifoldStop::converged) << condition;
    EXPECT_LE(found.progress.passes, most + 6) << condition;
  }
}

TEST(Svrg, FindsTheKarcherMean) {
  for (const auto& [condition, most] : {std::pair{10.0, 30.0}, {1000.0, 34.0}}) {
    KarcherSetting setting(condition);
    const ManifoldSvrg solver(setting.problem, {.step_size = 0.1, .batches = karcher_batches}, Rng(11));
    const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules());
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_LE(found.progress.passes, most) << condition;
  }
}

TEST(Svrg, FindsTheLeadingEigenvector) {
  EigenSetting setting(0.1);
  const ManifoldSvrg solver(setting.problem, {.step_size = 0.3, .batches = {.batch_size = 50}}, Rng(13));
  const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(60));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.passes, 32);
}

TEST(VrPca, FindsTheLeadingEigenvector) {
  EigenSetting setting(0.1);
  const VrPca by_default(setting.problem, {}, Rng(13));
  const VrPca solver(setting.problem, {.step_size = 3 * by_default.step_size()}, Rng(13));
  const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(100));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.passes, 44);
}

TEST(SvLbfgs, OfSnapshotsFindsTheLeadingEigenvectorSoonest) {
  for (const auto& [gap, most] : {std::pair{0.1, 15.0}, {0.02, 70.0}}) {
    EigenSetting setting(gap);
    const ManifoldSvLbfgs solver(setting.problem,
                                 {.first_step = 0.1,
                                  .step_size = 1,
                                  .memory = 10,
                                  .pairs = ManifoldSvLbfgs::snapshots,
                                  .least_curvature = 0.2 * gap,
                                  .batches = {.batch_size = 250, .inner_steps = 1}},
                                 Rng(13));
    const ManifoldOptimum found = minimize(solver, setting.start(), setting.rules(150));
    EXPECT_EQ(found.stop, ManifoldStop::converged) << gap;
    EXPECT_LE(found.progress.passes, most) << gap;
  }
}

TEST(Sgd, ComesNearAndSvrgComesNearer) {
  EigenSetting setting(0.2, 10, 200);
  const ManifoldSgd sgd(setting.problem, {.step_size = 0.05, .decay = 0.01, .batch_size = 10}, Rng(14));
  const ManifoldOptimum near = minimize(sgd, setting.start(), setting.rules(40));
  EXPECT_EQ(near.stop, ManifoldStop::iteration_limit);
  EXPECT_LT(setting.data.error(near.x), 5e-3);
  EXPECT_NEAR(near.progress.passes, 40, 1e-9);
  const ManifoldSvrg svrg(setting.problem, {.step_size = 0.1, .batches = {.batch_size = 10}}, Rng(14));
  EXPECT_LT(setting.data.error(minimize(svrg, setting.start(), setting.rules(40)).x), 1e-6);
}

TEST(Svrg, KeepsItsInvariants) {
  EigenSetting setting(0.1, 8, 40);
  ManifoldSvrg solver(setting.problem, {.step_size = 0.05, .batches = {.batch_size = 7}}, Rng(15));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  const Mat before = state.x;
  solver.inner_step(state);
  EXPECT_LT((state.v - state.full_gradient).norm(), 1e-14);  // v = g at the snapshot, for any batch
  EXPECT_GT((state.batch_gradient - state.full_gradient).norm(), 1e-3);
  EXPECT_LT((state.x - setting.problem.manifold().exp(before, -0.05 * state.full_gradient)).norm(), 1e-15);

  const VarianceReduced each(setting.problem, {.batch_size = 1}, Moves::geodesic, Rng(15));
  auto other = each.init(setting.start());
  each.take_snapshot(other);
  other.x = state.x;
  Mat mean = Mat::Zero(8, 1), exact = mean;
  for (Index i = 0; i < 40; ++i) {
    other.batch = {i};
    each.estimate(other);
    mean += other.v / 40;
  }
  setting.problem.gradient(other.x, exact);
  EXPECT_LT((mean - exact).norm(), 1e-14);  // E v = grad f(x)

  const VarianceReduced all(setting.problem, {.batch_size = 40}, Moves::geodesic, Rng(15));
  auto whole = all.init(setting.start());
  all.take_snapshot(whole);
  whole.x = state.x;
  all.draw_batch(whole);
  all.estimate(whole);
  EXPECT_LT((whole.v - exact).norm(), 1e-14);  // all terms: no noise

  auto still = solver.init(setting.data.vectors.col(0));
  solver.step(still);
  EXPECT_LT((still.x - setting.data.vectors.col(0)).norm(), 1e-13);  // the optimum stays
}

TEST(SvLbfgs, WithoutMemoryIsSvrg) {
  KarcherSetting setting(10);
  ManifoldSvLbfgs solver(setting.problem, {.first_step = 0.07, .memory = 0, .batches = karcher_batches}, Rng(16));
  ManifoldSvrg svrg(setting.problem, {.step_size = 0.07, .batches = karcher_batches}, Rng(16));
  auto a = solver.init(setting.start());
  auto b = svrg.init(setting.start());
  for (int k = 0; k < 3; ++k) {
    solver.step(a);
    svrg.step(b);
    EXPECT_EQ(a.x, b.x);
  }
}

TEST(SvLbfgs, StepsAreDescentAndPairsKeepTheSecantEquation) {
  KarcherSetting setting(100);
  const Manifold& m = setting.problem.manifold();
  ManifoldSvLbfgs solver(setting.problem,
                         {.first_step = 0.05, .step_size = 0.3, .memory = 3, .batches = karcher_batches}, Rng(17));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  for (int k = 0; k < 12; ++k) {
    solver.inner_step(state);  // pairs are now at x, the step was made at next
    if (state.pairs.pairs() == 0) continue;
    const Index newest = state.pairs.pairs() - 1;
    Mat h_y = state.x;
    state.pairs.apply(state.x, state.pairs.y(newest), h_y);
    const double scale = m.norm(state.x, state.pairs.z(newest));
    EXPECT_LT(m.norm(state.x, h_y - state.pairs.z(newest)), 1e-11 * scale);
    for (Index i = 0; i <= newest; ++i) {
      const double now = m.inner(state.x, state.pairs.z(i), state.pairs.y(i));
      EXPECT_NEAR(now, state.pairs.product(i), 1e-12 * state.pairs.product(i));  // transport is an isometry
    }
    EXPECT_LT(m.inner(state.next, state.step, state.v), 0);
  }
  EXPECT_EQ(state.pairs.pairs(), 3);
  EXPECT_EQ(state.skipped, 0);
}

TEST(SvLbfgs, LastStepsAndDisplacementsAreTheSamePairs) {
  KarcherSetting setting(100);
  const auto run = [&](ManifoldSvLbfgs::PairKind pairs) {
    ManifoldSvLbfgs solver(setting.problem, {.step_size = 0.3, .pairs = pairs, .batches = karcher_batches}, Rng(18));
    auto state = solver.init(setting.start());
    solver.step(state);
    return state.x;
  };
  const Mat by_steps = run(ManifoldSvLbfgs::last_step);
  EXPECT_LT((run(ManifoldSvLbfgs::displacement) - by_steps).norm(), 1e-10 * by_steps.norm());
  EXPECT_GT((run(ManifoldSvLbfgs::last_gradient) - by_steps).norm(), 1e-3);
}

// All terms in one batch, one inner step, step 1: the L-BFGS that everybody knows, here in a few lines.
Mat dense_lbfgs_inverse(const std::vector<Vec>& z, const std::vector<Vec>& y, std::size_t memory) {
  const std::size_t first = z.size() > memory ? z.size() - memory : 0;
  Mat h = Mat::Identity(4, 4) * (z.back().dot(y.back()) / y.back().squaredNorm());
  for (std::size_t i = first; i < z.size(); ++i) {
    const double zy = z[i].dot(y[i]);
    const Mat v = Mat::Identity(4, 4) - y[i] * z[i].transpose() / zy;
    h = v.transpose() * h * v + z[i] * z[i].transpose() / zy;
  }
  return h;
}

TEST(SvLbfgs, OnAFlatSpaceWithAllTermsIsLbfgs) {
  const Vec curvature{{1, 2, 5, 9}};
  test::QuadraticCost sum(curvature);
  ManifoldSvLbfgs solver(
      sum, {.first_step = 0.1, .step_size = 1, .memory = 2, .batches = {.batch_size = 1, .inner_steps = 1}}, Rng(19));
  Vec x{{1, -1, 2, 0.5}};
  auto state = solver.init(x);
  std::vector<Vec> z, y;
  for (int k = 0; k < 6; ++k) {
    const Vec g = curvature.cwiseProduct(x);
    const Vec step = z.empty() ? Vec(-0.1 * g) : Vec(-dense_lbfgs_inverse(z, y, 2) * g);
    x += step;
    z.push_back(step);
    y.push_back(curvature.cwiseProduct(step));
    solver.step(state);
    EXPECT_LT((state.x - x).norm(), 1e-13) << k;
  }
  EXPECT_LT(x.norm(), 0.1);
}

TEST(SvLbfgs, AsPrintedAscends) {
  KarcherSetting setting(10);
  const auto cost_after = [&](bool as_printed) {
    ManifoldSvLbfgs solver(setting.problem,
                           {.first_step = 0.05,
                            .step_size = 0.1,
                            .pairs = ManifoldSvLbfgs::last_gradient,
                            .as_printed = as_printed,
                            .batches = karcher_batches},
                           Rng(20));
    auto state = solver.init(setting.start());
    for (int k = 0; k < 3; ++k) solver.step(state);
    return setting.problem.value(state.x);
  };
  EXPECT_LT(cost_after(false), setting.problem.value(setting.start()));
  EXPECT_GT(cost_after(true), setting.problem.value(setting.start()));
}

// <a, x> with one term: the gradient step of pi leads from one end of a great circle to the other.
class SphereSum final : public ManifoldSum {
 public:
  const Manifold& manifold() const override { return *sphere_; }
  Index terms() const override { return 1; }
  double value(MatIn x) override { return x(2, 0); }
  double gradient(MatIn x, MatOut out) override {
    sphere_->gradient(x, Vec::Unit(3, 2), out);
    return value(x);
  }
  void mean_gradient(MatIn x, std::span<const Index>, MatOut out) override { gradient(x, out); }

 private:
  ManifoldPtr sphere_ = sphere(3);
};

TEST(SvLbfgs, ForgetsPairsWhereNoGeodesicIsShortest) {
  SphereSum sum;
  for (const auto pairs : {ManifoldSvLbfgs::displacement, ManifoldSvLbfgs::snapshots}) {
    ManifoldSvLbfgs solver(sum, {.first_step = 0.1, .pairs = pairs, .batches = {.batch_size = 1, .inner_steps = 1}},
                           Rng(26));
    auto state = solver.init(Vec{{0.6, 0, -0.8}});
    for (int k = 0; k < 4; ++k) ASSERT_EQ(solver.step(state), StepOutcome::moved);
    ASSERT_EQ(state.pairs.pairs(), 2);
    state.x = pairs == ManifoldSvLbfgs::snapshots ? Mat(-state.old_snapshot) : Mat(-state.pair_point);
    EXPECT_EQ(solver.step(state), StepOutcome::moved);
    EXPECT_EQ(state.pairs.pairs(), 0);
    for (int k = 0; k < 300; ++k) ASSERT_EQ(solver.step(state), StepOutcome::moved);
    EXPECT_NEAR(state.x(2, 0), -1, 1e-10);
  }
}

// (angle - target)^2 / 2 on the unit circle: from the angle 0 conjugate gradients go by the secant to `target`, and
// L-BFGS to 1 first and then to `target`.
struct CircleCost final : ManifoldProblem {
  explicit CircleCost(double to) : target(to) {}
  const Manifold& manifold() const override { return *circle; }
  double value(MatIn x) override { return 0.5 * left(x) * left(x); }
  double gradient(MatIn x, MatOut gradient) override {
    gradient = left(x) * Vec{{-x(1, 0), x(0, 0)}};
    return value(x);
  }
  double left(MatIn x) const {
    const double angle = std::atan2(x(1, 0), x(0, 0));
    return (angle < -0.1 ? angle + 2 * std::numbers::pi : angle) - target;
  }
  double target;
  ManifoldPtr circle = sphere(2);
};

TEST(Solvers, GoOnFromTheOtherEndOfAGeodesic) {
  const double pi = std::numbers::pi;
  const auto arrives = [](CircleCost cost, auto solver_of) {
    const ManifoldOptimum found = minimize(solver_of(cost), Vec{{1, 0}});
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_NEAR(cost.left(found.x), 0, 1e-8);
  };
  arrives(CircleCost(pi), [](CircleCost& cost) { return ManifoldConjugateGradient(cost, Moves::geodesic); });
  arrives(CircleCost(1 + pi), [](CircleCost& cost) { return ManifoldLbfgs(cost); });
}

// The last inner step goes by the gradient where one alone is to go by H, and by H where all are.
TEST(SvLbfgs, GoesByHAtTheBeginningOfALoop) {
  KarcherSetting setting(10);
  for (const Index newton_steps : {0, 1, 3}) {
    ManifoldSvLbfgs solver(setting.problem,
                           {.newton_steps = newton_steps,
                            .pairs = ManifoldSvLbfgs::snapshots,
                            .batches = {.batch_size = 10, .inner_steps = 3}},
                           Rng(11));
    auto state = solver.init(setting.start());
    for (int loop = 0; loop < 2; ++loop) ASSERT_EQ(solver.step(state), StepOutcome::moved);
    ASSERT_EQ(state.pairs.pairs(), 1);
    const bool by_gradient = (state.step + 0.05 * state.v).norm() <= 1e-14 * state.v.norm();
    EXPECT_EQ(by_gradient, newton_steps == 1) << newton_steps;
  }
}

// One term: each inner step is a step of the power method with a shift, whatever the snapshot.
TEST(VrPca, WithOneTermIsThePowerMethod) {
  const Mat d = Vec{{1, 2, -1}};
  LeadingEigenvector problem(d);
  VrPca solver(problem, {.step_size = 0.1, .inner_steps = 1}, Rng(21));
  Vec w{{0.6, 0, 0.8}};
  auto state = solver.init(w);
  solver.take_snapshot(state);
  for (int k = 0; k < 5; ++k) {
    w = (w + 0.1 * d * (d.transpose() * w)).normalized();
    solver.inner_step(state, 0);
    EXPECT_LT((state.x - w).norm(), 1e-15);
  }
}

TEST(StochasticSolvers, OnTheSphereAllocateNothing) {
  EigenSetting setting(0.1, 10, 50);
  const auto allocations = [&](auto solver) {
    auto state = solver.init(setting.start());
    solver.step(state);
    const long before = test::allocation_count;
    solver.step(state);
    return test::allocation_count - before;
  };
  EXPECT_EQ(allocations(ManifoldSvrg(setting.problem, {.batches = {.batch_size = 5}}, Rng(22))), 0);
  EXPECT_EQ(allocations(ManifoldSgd(setting.problem, {.batch_size = 5}, Rng(22))), 0);
  EXPECT_EQ(allocations(VrPca(setting.problem, {}, Rng(22))), 0);
  EXPECT_EQ(allocations(ManifoldSvLbfgs(setting.problem, {.step_size = 0.05, .batches = {.batch_size = 5}}, Rng(22))),
            0);
  EXPECT_EQ(allocations(ManifoldLbfgs(setting.problem)), 0);
  EXPECT_EQ(allocations(ManifoldConjugateGradient(setting.problem)), 0);
  EXPECT_EQ(allocations(ManifoldTrustRegion(setting.problem)), 0);
}

TEST(Decorators, CountAndRecord) {
  EigenSetting setting(0.1, 10, 50);
  Counted<ManifoldSum> counted(setting.problem);
  ManifoldSvrg svrg(counted, {.batches = {.batch_size = 5}}, Rng(23));
  auto state = svrg.init(setting.start());
  svrg.step(state);
  EXPECT_EQ(counted.count.gradients, 1);
  EXPECT_EQ(counted.count.term_gradients, 100);  // two passes
  EXPECT_EQ(state.progress.passes, 2);
  ManifoldSvLbfgs quasi_newton(counted, {.batches = {.batch_size = 5}}, Rng(23));
  counted.count = {};
  auto other = quasi_newton.init(setting.start());
  quasi_newton.step(other);
  quasi_newton.step(other);
  EXPECT_EQ(counted.count.term_gradients, 100 + 45 + 100 + 50);  // no pair in the first step
  EXPECT_EQ(other.progress.passes, 4);                           // a look at a batch is for all of its gradients

  std::vector<Recorded<ManifoldLbfgs>::Row> rows;
  Recorded solver(ManifoldLbfgs(setting.problem), rows, [&](MatIn z) { return setting.data.error(z); });
  const ManifoldOptimum found = minimize(solver, setting.start(), {.max_steps = 4});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(found.stop, ManifoldStop::iteration_limit);
  EXPECT_EQ(to_string(found.stop), "iteration_limit");
  EXPECT_EQ(rows[3].progress.steps, 3);
  EXPECT_LT(rows[4].error, rows[0].error);
  EXPECT_LT(rows[4].progress.value, rows[0].progress.value);
}

TEST(Solvers, GiveTheSameBitsAgain) {
  KarcherSetting setting(100);
  const auto run = [&] {
    return minimize(ManifoldSvLbfgs(setting.problem, {.batches = karcher_batches}, Rng(24)), setting.start(),
                    {.max_steps = 3})
        .x;
  };
  EXPECT_EQ(run(), run());
}

TEST(Solvers, SayWhyTheyStop) {
  const auto uphill = make_problem(sphere(3), {[](MatIn x) { return x(0, 0); },
                                               [](MatIn, MatOut g) {
                                                 g = Vec{{-1, 0, 0}};
                                               },
                                               nullptr});
  const ManifoldOptimum stuck = minimize(ManifoldDescent(*uphill), Vec{{0, 1, 0}});
  EXPECT_EQ(stuck.stop, ManifoldStop::no_decrease);
  const auto nowhere =
      make_problem(spd(2), {[](MatIn x) { return x(0, 0); },
                            [](MatIn, MatOut g) { g.setConstant(std::numeric_limits<double>::quiet_NaN()); }, nullptr});
  EXPECT_EQ(minimize(ManifoldDescent(*nowhere), Mat::Identity(2, 2)).stop, ManifoldStop::not_finite);
  KarcherSetting setting(10);
  EXPECT_THROW(minimize(ManifoldLbfgs(setting.problem), Mat::Zero(5, 5)), DataError);
  EXPECT_THROW(ManifoldSvrg(setting.problem, {.batches = {.batch_size = 61}}, Rng(1)), UsageError);
}

TEST(Solvers, HalveStepsThatLeaveTheManifold) {
  KarcherSetting setting(10);
  ManifoldSvrg solver(setting.problem, {.step_size = 1e4, .batches = karcher_batches}, Rng(25));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  EXPECT_EQ(solver.inner_step(state), StepOutcome::moved);
  EXPECT_GT(state.progress.halvings, 0);
  EXPECT_EQ(setting.problem.manifold().fault(state.x), "");
}

// A cost in other units.
struct ScaledCost final : ManifoldProblem {
  ScaledCost(ManifoldProblem& of, double by) : cost(&of), factor(by) {}
  const Manifold& manifold() const override { return cost->manifold(); }
  double value(MatIn x) override { return factor * cost->value(x); }
  double gradient(MatIn x, MatOut gradient) override {
    const double unscaled = cost->gradient(x, gradient);
    gradient *= factor;
    return factor * unscaled;
  }
  void hessian(MatIn x, MatIn u, MatOut out) override {
    cost->hessian(x, u, out);
    out *= factor;
  }
  ManifoldProblem* cost;
  double factor;
};

// A power of 2 changes no rounding.
TEST(Solvers, GoTheSameWayInOtherUnitsOfTheCost) {
  const auto problem = spread_eigenvalues();
  const Mat start = Vec::Constant(30, 1 / std::sqrt(30.0));
  const StopRules rules{.gradient_norm = 0, .max_steps = 25};
  std::vector<Mat> ends;
  with_each_solver(*problem, [&](const char*, auto solver) { ends.push_back(minimize(solver, start, rules).x); });
  for (const double factor : {std::exp2(-60), std::exp2(60)}) {
    ScaledCost scaled(*problem, factor);
    std::size_t k = 0;
    with_each_solver(scaled, [&](const char* name, auto solver) {
      EXPECT_EQ(minimize(solver, start, rules).x, ends[k++]) << name << ", " << factor;
    });
  }
}

TEST(TryStep, RefusesPointsBesideTheManifold) {
  const auto flat =
      make_problem(hyperbolic(2), {[](MatIn) { return 1; }, [](MatIn, MatOut g) { g.setZero(); }, nullptr});
  Stream stream = Rng(27).stream("step");
  DescentState state = start_descent(*flat, flat->manifold().random_point(stream));
  state.step = flat->manifold().random_tangent(state.x, stream);
  const Moves moves(flat->manifold(), Moves::geodesic);
  EXPECT_TRUE(try_step(*flat, moves, state));
  state.step *= 1000;  // whose hyperbolic cosine overflows
  EXPECT_FALSE(try_step(*flat, moves, state));
  EXPECT_EQ(state.progress.halvings, 1);
  EXPECT_EQ(state.progress.passes, 2);
}

// A small multiple of x_1 on the sphere, with the gradient of the space around it.
struct SmallCost final : ManifoldProblem {
  const Manifold& manifold() const override { return *space; }
  double value(MatIn x) override { return 1e-9 * x(0, 0); }
  double gradient(MatIn x, MatOut gradient) override {
    gradient = 1e-9 * Vec::Unit(3, 0);
    return value(x);
  }
  ManifoldPtr space = sphere(3);
};

// c + 5 sum sin(Kx) has many minima, where slopes at two points far apart say little of the costs there.
TEST(Solvers, GoDownWhateverConstantIsInTheCost) {
  for (int k = 0; k < 10; ++k) {
    Stream stream = Rng(30).child("wave", static_cast<std::uint64_t>(k)).stream("wave");
    const Mat waves = 6 * euclidean(30, 6)->random_point(stream), start = euclidean(6)->random_point(stream);
    for (const double constant : {0.0, 1e7, 1e9, 1e10}) {
      const auto problem = make_problem(
          euclidean(6),
          {[&](MatIn x) { return constant + 5 * (waves * x).array().sin().sum(); },
           [&](MatIn x, MatOut g) { g = 5 * waves.transpose() * (waves * x).array().cos().matrix(); }, nullptr});
      with_each_solver(*problem, [&](const char* name, auto solver) {
        const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-3, .max_steps = 3000});
        EXPECT_EQ(found.stop, ManifoldStop::converged)
            << name << ", constant " << constant << ", gradient " << found.progress.gradient_norm;
        EXPECT_LT(found.progress.value, problem->value(start)) << name << ", constant " << constant;
      });
    }
  }
}

TEST(SlopeChecks, FindSmallGradientsThatAreNotTangent) {
  SmallCost problem;
  const SlopeCheck found = check_gradient(problem, Vec{{0.6, 0, 0.8}});
  EXPECT_FALSE(found.ok) << found.message;
  EXPECT_GT(found.defect, 0.1);
}

TEST(SlopeChecks, AcceptHessiansByDifferencesAndFindWrongOnesInAnyUnits) {
  const EigenData d(8, 20, 0.1, Rng(4));
  for (const double unit : {1e-9, 1.0, 1e9}) {
    const Mat a = unit / 20 * d.data * d.data.transpose(), beside = unit * Mat::Identity(8, 8).rowwise().reverse();
    Mat turn = Mat::Zero(8, 8);
    turn(0, 1) = 1e-3 * unit, turn(1, 0) = -1e-3 * unit;  // adds nothing to <H u, u>
    const auto check = [&](Stream& stream, const decltype(AmbientCost::second)& second) {
      const auto problem = make_problem(sphere(8), {[&](MatIn x) { return 0.5 * (x.transpose() * a * x).value(); },
                                                    [&](MatIn x, MatOut g) { g = a * x; }, second});
      return check_hessian(*problem, problem->manifold().random_point(stream), Rng(7));
    };
    Stream stream = Rng(28).stream("points");
    for (int k = 0; k < 50; ++k) {
      const SlopeCheck differenced = check(stream, nullptr);
      EXPECT_TRUE(differenced.ok) << differenced.message;
      EXPECT_FALSE(check(stream, [&](MatIn, MatIn u, MatOut h) { h = (a + turn) * u; }).ok);
      EXPECT_FALSE(check(stream, [&](MatIn, MatIn u, MatOut h) { h = (a + 1e-2 * beside) * u; }).ok);
    }
  }
}

TEST(SlopeChecks, CannotTellWhatRoundingCovers) {
  const auto with = [](double constant, double slope) {
    return make_problem(euclidean(2), {[=](MatIn x) { return constant + slope * x(0, 0); },
                                       [=](MatIn, MatOut g) {
                                         g = Vec{{slope, 0}};
                                       },
                                       [](MatIn, MatIn, MatOut h) { h.setZero(); }});
  };
  const Mat x = Vec{{0.3, 0.2}};
  for (const SlopeCheck& found : {check_gradient(*with(1e12, 1), x), check_hessian(*with(1e12, 1), x)}) {
    EXPECT_FALSE(found.ok);
    EXPECT_NE(found.message.find("cannot be told"), std::string::npos) << found.message;
  }
  for (const auto& [constant, slope] : {std::pair{1e3, 1.0}, {1e12, 0.0}, {0.0, 1e-9}}) {
    EXPECT_TRUE(check_gradient(*with(constant, slope), x).ok) << constant << " " << slope;
    EXPECT_TRUE(check_hessian(*with(constant, slope), x).ok) << constant << " " << slope;
  }
}

TEST(SlopeChecks, TellOfCostsThatAreNotFiniteNearby) {
  const auto problem = make_problem(
      euclidean(1), {[](MatIn x) { return x(0, 0) == 0.5 ? 0.25 : std::numeric_limits<double>::quiet_NaN(); },
                     [](MatIn x, MatOut g) { g = 2 * x; }, [](MatIn, MatIn u, MatOut h) { h = 2 * u; }});
  const Mat x = Mat::Constant(1, 1, 0.5);
  for (const SlopeCheck& found : {check_gradient(*problem, x), check_hessian(*problem, x)}) {
    EXPECT_FALSE(found.ok);
    EXPECT_NE(found.message.find("not finite at a distance of 1e-12"), std::string::npos) << found.message;
  }
}

// x - log(x) / 10, which is refused as a matrix without Cholesky factorization is: the first step leads there.
struct HalfLine final : ManifoldProblem {
  const Manifold& manifold() const override { return *line; }
  double value(MatIn x) override {
    if (!(x(0, 0) > 0)) throw DataError("not positive definite");
    return x(0, 0) - 0.1 * std::log(x(0, 0));
  }
  double gradient(MatIn x, MatOut gradient) override {
    gradient(0, 0) = 1 - 0.1 / x(0, 0);
    return value(x);
  }
  ManifoldPtr line = euclidean(1);
};

TEST(Solvers, ShortenAndCountStepsToPointsWithoutACost) {
  HalfLine problem;
  const auto arrives = [&](auto solver) {
    const ManifoldOptimum found = minimize(solver, Mat::Constant(1, 1, 0.3));
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_NEAR(found.x(0, 0), 0.1, 1e-8);
    EXPECT_GT(found.progress.halvings, 0);
  };
  arrives(ManifoldDescent(problem));
  arrives(ManifoldConjugateGradient(problem));
  arrives(ManifoldLbfgs(problem));
}

}  // namespace
}  // namespace quasar
