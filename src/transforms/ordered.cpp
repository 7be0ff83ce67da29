// Increasing sequences.
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/transforms.hpp>

namespace quasar::transform {

Ordered::Ordered(Index n) : n_(n) {
  if (n < 1) throw UsageError("an ordered vector needs at least one element");
}

double Ordered::forward(In x, Out y) const {
  y[0] = x[0];
  for (Index i = 1; i < n_; ++i) y[i] = y[i - 1] + std::exp(x[i]);
  return x.tail(n_ - 1).sum();
}

void Ordered::inverse(In y, Out x) const {
  x[0] = y[0];
  for (Index i = 1; i < n_; ++i) {
    if (!(y[i] > y[i - 1])) throw UsageError("the elements of an ordered vector must increase");
    x[i] = std::log(y[i] - y[i - 1]);
  }
}

// x_i moves y_i and everything after it.
void Ordered::pull_back(In x, In, In grad_y, Out grad_x) const {
  double from_here = 0;
  for (Index i = n_ - 1; i > 0; --i) {
    from_here += grad_y[i];
    grad_x[i] += from_here * std::exp(x[i]) + 1;
  }
  grad_x[0] += from_here + grad_y[0];
}

}  // namespace quasar::transform
