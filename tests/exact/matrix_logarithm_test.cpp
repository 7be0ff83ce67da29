// Logarithms of positive definite matrices by sums of inverses, against those by eigenvectors.
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

#include "manifolds/symmetric_log.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::error_message;

Mat log_by_eigenvectors(const Mat& a) {
  const Eigen::SelfAdjointEigenSolver<Mat> found(a);
  return found.eigenvectors() * found.eigenvalues().array().log().matrix().asDiagonal() *
         found.eigenvectors().transpose();
}

Mat tridiagonal(const Vec& diagonal, const Vec& beside) {
  Mat t = diagonal.asDiagonal();
  t.diagonal(1) = beside;
  t.diagonal(-1) = beside;
  return t;
}

// Rounding of a sum whose largest number is the constant.
TEST(LogQuadrature, IsTheLogarithmToRounding) {
  LogQuadrature quadrature;
  for (const double condition : {1.0, 1.5, 10.0, 1e2, 1e4, 1e8, 1e15}) {
    for (const double low : {1e-3, 1.0, 1e5}) {
      quadrature.fit(low, condition * low);
      const double rounding = 4e-16 * (std::abs(quadrature.constant()) + std::log(condition) + 5);
      for (int k = 0; k <= 50; ++k) {
        const double x = low * std::pow(condition, k / 50.0);
        const double sum = quadrature.constant() - (quadrature.weights() / (x + quadrature.shifts())).sum();
        EXPECT_NEAR(sum, std::log(x), rounding) << condition << ' ' << low << ' ' << k;
      }
    }
  }
}

TEST(LogQuadrature, NeedsFewNodes) {
  LogQuadrature quadrature;
  for (const auto& [condition, nodes] : {std::pair{1.0, 12}, {1e2, 28}, {1e6, 68}}) {
    quadrature.fit(1, condition);
    EXPECT_EQ(quadrature.shifts().size(), nodes) << condition;
    EXPECT_GT(quadrature.weights().minCoeff(), 0);
    EXPECT_GT(quadrature.shifts().minCoeff(), 0);  // so that every sum of inverses is one of positive matrices
  }
}

TEST(SpectrumRange, HoldsAllEigenvalues) {
  Stream stream = Rng(1).stream("diagonals");
  for (const Index n : {1, 2, 9, 40}) {
    Vec diagonal(n), beside(std::max<Index>(n - 1, 0));
    stream.uniforms(diagonal);
    stream.normals(beside);
    const double least = Eigen::SelfAdjointEigenSolver<Mat>(tridiagonal(diagonal, beside)).eigenvalues()[0];
    diagonal.array() += 0.01 - least;
    const Vec values = Eigen::SelfAdjointEigenSolver<Mat>(tridiagonal(diagonal, beside)).eigenvalues();
    const auto [low, high] = spectrum_range(diagonal, beside);
    EXPECT_LE(low, values[0] * (1 + 1e-10));
    EXPECT_GE(low, values[0] / 1.6);
    EXPECT_GE(high, values[n - 1] * (1 - 1e-10));
  }
}

TEST(TridiagonalLogarithm, AgreesWithThatByEigenvectors) {
  Stream stream = Rng(2).stream("diagonals");
  TridiagonalLogarithm logarithm;
  for (const Index n : {40, 1, 2, 7, 8, 9, 17}) {  // from one size to another with the same scratch
    Vec diagonal(n), beside(std::max<Index>(n - 1, 0));
    stream.uniforms(diagonal);
    stream.normals(beside);
    diagonal.array() += 4.1;
    if (n > 10) beside[4] = 0;  // two matrices that have nothing to do with each other
    Mat found = Mat::Zero(n, n);
    logarithm.compute(diagonal, beside, found);
    const Mat whole = found.selfadjointView<Eigen::Lower>();
    const double rounding = 1e-13 * static_cast<double>(n);
    EXPECT_LT((whole - log_by_eigenvectors(tridiagonal(diagonal, beside))).norm(), rounding) << n;
  }
}

TEST(SymmetricLogarithm, AgreesWithThatByEigenvectors) {
  Stream stream = Rng(3).stream("matrices");
  for (const Index n : {2, 11, 12, 16, 17, 18, 33, 34, 80}) {
    SymmetricLogarithm logarithm(n);
    for (const double condition : {1.0, 10.0, 1e5}) {
      const Mat a = 3 * test::random_spd(n, condition, stream), expected = log_by_eigenvectors(a);
      Mat scratch = a;
      scratch.triangularView<Eigen::StrictlyUpper>().setConstant(7);  // is not looked at
      const double square = logarithm.squared_norm(scratch);
      const Mat found = Mat(logarithm.matrix(scratch)).selfadjointView<Eigen::Lower>();
      const double rounding = 1e-15 * condition + 2e-14 * static_cast<double>(n);
      EXPECT_LT((found - expected).norm(), rounding) << n << ' ' << condition;
      EXPECT_NEAR(square, expected.squaredNorm(), 2 * rounding * expected.norm() + 1e-13) << n << ' ' << condition;
    }
  }
}

TEST(SymmetricLogarithm, OfDiagonalMatricesIsTakenEntryByEntry) {
  const Vec values = Vec::LinSpaced(30, 0.1, 5);
  Mat a = values.asDiagonal();
  SymmetricLogarithm logarithm(30);
  logarithm.squared_norm(a);
  EXPECT_LT((logarithm.matrix(a).diagonal() - Vec(values.array().log())).norm(), 1e-13);
}

TEST(SymmetricLogarithm, RefusesWhatHasNone) {
  for (const Index n : {3, 20}) {
    SymmetricLogarithm logarithm(n);
    const auto refusal = [&](Mat a) { return error_message<DataError>([&] { logarithm.squared_norm(a); }); };
    Mat a = Mat::Identity(n, n);
    a(1, 1) = -2;
    EXPECT_EQ(refusal(a), "not positive definite: its smallest eigenvalue is -2");
    EXPECT_NE(refusal(Mat::Zero(n, n)).find("not positive definite"), std::string::npos);
    a(1, 1) = 0;
    EXPECT_NE(refusal(a).find("not positive definite"), std::string::npos);
    a(2, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(refusal(a).find("not finite"), std::string::npos);
    a(2, 1) = std::numeric_limits<double>::infinity();
    EXPECT_NE(refusal(a).find("not finite"), std::string::npos);
  }
}

}  // namespace
}  // namespace quasar
