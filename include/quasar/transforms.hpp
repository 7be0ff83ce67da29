// quasar/transforms.hpp -- smooth maps from all of R^n onto the sets that parameters live in.
//
// A model samples x without constraints and reads its parameter y = forward(x). Its log density in x is the one in y
// plus the logarithm of the Jacobian determinant, which forward returns. For the gradient, pull_back adds both parts at
// once:
//
//   grad_x += (dy/dx)' grad_y + d log|det dy/dx| / dx
//
// Every transform has the same five functions. Nothing overflows to NaN for |x| up to 700; y saturates at its bounds.
// inverse throws UsageError for a y outside the set. The maps are those of the Stan reference manual.
#pragma once

#include <concepts>
#include <span>

#include <quasar/core.hpp>

namespace quasar::transform {

template <class T>
concept Transform = std::copyable<T> && requires(const T& t, In x, In y, In grad_y, Out out) {
  { t.size_unconstrained() } -> std::same_as<Index>;
  { t.size_constrained() } -> std::same_as<Index>;
  { t.forward(x, out) } -> std::same_as<double>;  // y; returns log |det dy/dx|
  t.inverse(y, out);                              // x
  t.pull_back(x, y, grad_y, out);                 // adds to grad_x; y = forward(x)
};

// Each of n numbers on one side of a bound: y = bound + e^x or bound - e^x.
class HalfLine {
 public:
  static HalfLine above(double bound, Index n = 1) { return {bound, 1.0, n}; }
  static HalfLine below(double bound, Index n = 1) { return {bound, -1.0, n}; }

  Index size_unconstrained() const { return n_; }
  Index size_constrained() const { return n_; }
  double forward(In x, Out y) const;
  void inverse(In y, Out x) const;
  void pull_back(In x, In y, In grad_y, Out grad_x) const;

 private:
  HalfLine(double bound, double side, Index n) : bound_(bound), side_(side), n_(n) {}
  double bound_, side_;
  Index n_;
};

inline HalfLine positive(Index n = 1) { return HalfLine::above(0.0, n); }

// Each of n numbers between two bounds: y = lo + (hi - lo) / (1 + e^-x).
class Bounded {
 public:
  Bounded(double lo, double hi, Index n = 1);

  Index size_unconstrained() const { return n_; }
  Index size_constrained() const { return n_; }
  double forward(In x, Out y) const;
  void inverse(In y, Out x) const;
  void pull_back(In x, In y, In grad_y, Out grad_x) const;

 private:
  double lo_, hi_;
  Index n_;
};

// Moves unconstrained numbers into a target's support(), coordinate by coordinate; an empty support changes nothing.
void into_support(std::span<const Interval> support, Out x);

// k positive numbers that sum to 1, by breaking a stick; x = 0 is the centre (1/k, ..., 1/k). The Jacobian is that of
// the first k - 1 numbers.
class Simplex {
 public:
  explicit Simplex(Index k);

  Index size_unconstrained() const { return k_ - 1; }
  Index size_constrained() const { return k_; }
  double forward(In x, Out y) const;
  void inverse(In y, Out x) const;
  void pull_back(In x, In y, In grad_y, Out grad_x) const;

 private:
  double logit(In x, Index i) const;  // of the share that piece i takes of what remains

  Index k_;
};

// n increasing numbers: y_1 = x_1, y_i = y_{i-1} + e^{x_i}.
class Ordered {
 public:
  explicit Ordered(Index n);

  Index size_unconstrained() const { return n_; }
  Index size_constrained() const { return n_; }
  double forward(In x, Out y) const;
  void inverse(In y, Out x) const;
  void pull_back(In x, In y, In grad_y, Out grad_x) const;

 private:
  Index n_;
};

// The Cholesky factor L of a k x k correlation matrix L L', row by row, zeros above the diagonal included. tanh x are
// the canonical partial correlations (Lewandowski, Kurowicka and Joe, Journal of Multivariate Analysis 100, 2009). The
// Jacobian is that of the entries below the diagonal.
class CholeskyCorrelation {
 public:
  explicit CholeskyCorrelation(Index k);

  Index size_unconstrained() const { return k_ * (k_ - 1) / 2; }
  Index size_constrained() const { return k_ * k_; }
  double forward(In x, Out y) const;
  void inverse(In y, Out x) const;
  void pull_back(In x, In y, In grad_y, Out grad_x) const;

 private:
  Index k_;
};

}  // namespace quasar::transform
