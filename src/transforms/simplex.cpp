// Points of the simplex by stick breaking: with z_i = sigmoid(x_i - log(k - i)) the share that piece i (from 1) takes
// of what remains, y_i = r_i z_i, r_{i+1} = r_i (1 - z_i), r_1 = 1, and y_k = r_k.
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/transforms.hpp>

#include "transforms/scalar_functions.hpp"

namespace quasar::transform {

Simplex::Simplex(Index k) : k_(k) {
  if (k < 2) throw UsageError("a simplex needs at least two components");
}

double Simplex::logit(In x, Index i) const { return x[i] - std::log(static_cast<double>(k_ - 1 - i)); }

// dy_i/dx_i = r_i z_i (1 - z_i) and the Jacobian matrix is triangular.
double Simplex::forward(In x, Out y) const {
  double remaining = 1, log_remaining = 0, log_jacobian = 0;
  for (Index i = 0; i < k_ - 1; ++i) {
    const double a = logit(x, i);
    y[i] = remaining * sigmoid(a);
    log_jacobian += log_remaining + log_sigmoid(a) + log_sigmoid(-a);
    remaining *= sigmoid(-a);
    log_remaining += log_sigmoid(-a);
  }
  y[k_ - 1] = remaining;
  return log_jacobian;
}

void Simplex::inverse(In y, Out x) const {
  constexpr double tolerance = 1e-8;  // of a sum that was printed and read again
  if (!(y.minCoeff() > 0) || !(std::fabs(y.sum() - 1) <= tolerance)) {
    throw UsageError("the components of a simplex must be positive and sum to 1");
  }
  double remaining = y[k_ - 1];
  for (Index i = k_ - 2; i >= 0; --i) {
    x[i] = std::log(y[i]) - std::log(remaining) + std::log(static_cast<double>(k_ - 1 - i));
    remaining += y[i];
  }
}

// Backwards through the recursion, `downstream` being the derivative with respect to r_{i+1}. In the log-Jacobian z_i
// stands in its own factor z_i (1 - z_i) and as (1 - z_i) in the factor r of each later piece but the last.
void Simplex::pull_back(In x, In y, In grad_y, Out grad_x) const {
  double downstream = grad_y[k_ - 1];
  for (Index i = k_ - 2; i >= 0; --i) {
    const double z = sigmoid(logit(x, i)), rest = sigmoid(-logit(x, i));
    const auto later = static_cast<double>(k_ - 2 - i);
    grad_x[i] += y[i] * rest * (grad_y[i] - downstream) + rest - z - later * z;
    downstream = grad_y[i] * z + downstream * rest;
  }
}

}  // namespace quasar::transform
