// The logarithm as a sum of simple fractions, log x = constant - sum_k weights_k / (x + shifts_k) for x in [low, high],
// so that functions of matrices need solves alone (Higham, "Functions of Matrices", 2008, chapter 11; Hale, Higham and
// Trefethen, SIAM J. Numerical Analysis 46, 2008).
//
// With y = x / sqrt(low high), cosh K = sqrt(high / low) and s = sinh(u) / sinh(K - u) in log y = integral of
// (y - 1) / ((1 + s) (y + s)) over s > 0 one has
//
//   log y = integral over 0 < u < K of g,   g = (y - 1) sinh K / ((p + q) (y p + q)),  p = sinh(K - u), q = sinh u
//
// whose poles all have |Im u| = pi / 2, while |g| <= sinh(K / 2) / cos^2(Im u). The rule of Gauss and Legendre with n
// nodes is then off by at most (K / 2) (64 / 15) sinh(K / 2) / cos^2(phi) rho^(2 - 2n) / (1 - rho^-2), where phi < pi /
// 2 and asinh(2 phi / K) = log rho (Trefethen, SIAM Review 50, 2008, theorem 4.5). For high / low near 1 these are the
// Pade approximants; nodes become more as log(high / low) does, 28 for 100 and 68 for 10^6.
#pragma once

#include <vector>

#include <quasar/core.hpp>

namespace quasar {

class LogQuadrature {
 public:
  // 0 < low <= high. The error is below 2^-53 before rounding.
  void fit(double low, double high);
  const Eigen::ArrayXd& shifts() const { return shifts_; }
  const Eigen::ArrayXd& weights() const { return weights_; }
  double constant() const { return constant_; }

 private:
  struct Rule {
    Eigen::ArrayXd nodes, weights;  // on (0, 1)
  };
  const Rule& rule(Index nodes);

  std::vector<Rule> rules_;  // those made so far
  Eigen::ArrayXd shifts_, weights_;
  double constant_ = 0;
};

}  // namespace quasar
