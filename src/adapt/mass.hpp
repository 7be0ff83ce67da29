// Metrics learned from the draws of one warm-up window, and from their gradients.
//
// Each learner takes (x, grad U) pairs with add, sets a metric with learn (false: not enough to go by) and forgets with
// reset. Running moments are Welford's, so that nothing is stored but sums.
#pragma once

#include <algorithm>
#include <cmath>

#include <quasar/core.hpp>

#include "metrics/dense.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"

namespace quasar {

class RunningVariance {
 public:
  explicit RunningVariance(Index dim = 0) : mean_(Vec::Zero(dim)), squares_(Vec::Zero(dim)) {}
  void add(In x) {
    ++count_;
    const double* const in = x.data();
    double *const mean = mean_.data(), *const squares = squares_.data();
    for (Index i = 0; i < mean_.size(); ++i) {
      const double off = in[i] - mean[i];
      mean[i] += off / count_;
      squares[i] += off * (in[i] - mean[i]);
    }
  }
  double count() const { return count_; }
  auto variance() const { return squares_ / (count_ - 1); }
  void reset() {
    count_ = 0;
    mean_.setZero();
    squares_.setZero();
  }
  static void fields(auto& self, auto&& visit) {
    visit("count", self.count_);
    visit("mean", self.mean_);
    visit("squares", self.squares_);
  }

 private:
  double count_ = 0;
  Vec mean_, squares_;
};

// Shrinkage of a covariance from n draws towards 1e-3 I, as in Stan.
inline double shrink_weight(double n) { return n / (n + 5); }
inline double shrink_floor(double n) { return 1e-3 * 5 / (n + 5); }

struct FixedIdentity {
  using Metric = Identity;
  explicit FixedIdentity(Index /*dim*/ = 0) {}
  void add(In, In) {}
  bool learn(Identity&) { return false; }
  void reset() {}
  static void fields(auto&, auto&&) {}
};

// H_ii = Var x_i.
class WelfordDiagonal {
 public:
  using Metric = Diagonal;
  explicit WelfordDiagonal(Index dim = 0) : x_(dim) {}
  void add(In x, In) { x_.add(x); }
  bool learn(Diagonal& metric) {
    const double n = x_.count();
    if (n < 2) return false;
    metric.set_variance((shrink_weight(n) * x_.variance()).array() + shrink_floor(n));
    return true;
  }
  void reset() { x_.reset(); }
  static void fields(auto& self, auto&& visit) { visit("x", self.x_); }

 private:
  RunningVariance x_;
};

// H_ii = sqrt(Var x_i / Var g_i): the diagonal that minimises the Fisher divergence between the transformed posterior
// and a standard normal; exact for a diagonal Gaussian after two draws (Seyboldt, Carlson and Carpenter 2026).
class FisherDiagonal {
 public:
  using Metric = Diagonal;
  explicit FisherDiagonal(Index dim = 0) : x_(dim), g_(dim) {}
  void add(In x, In g) {
    x_.add(x);
    g_.add(g);
  }
  bool learn(Diagonal& metric) {
    if (x_.count() < 2) return false;
    Vec variance = (x_.variance().array() / g_.variance().array()).sqrt();
    for (Index i = 0; i < variance.size();
         ++i) {  // a coordinate that never moved, or a flat direction, keeps its scale
      const bool usable = std::isfinite(variance[i]) && variance[i] > 0;
      variance[i] = usable ? std::clamp(variance[i], 1e-20, 1e20) : metric.variance()[i];
    }
    metric.set_variance(variance);
    return true;
  }
  void reset() {
    x_.reset();
    g_.reset();
  }
  static void fields(auto& self, auto&& visit) {
    visit("x", self.x_);
    visit("g", self.g_);
  }

 private:
  RunningVariance x_, g_;
};

// H = Cov x.
class WelfordDense {
 public:
  using Metric = Dense;
  explicit WelfordDense(Index dim = 0) : mean_(Vec::Zero(dim)), off_(dim), products_(Mat::Zero(dim, dim)) {}
  void add(In x, In) {
    ++count_;
    off_ = x - mean_;
    mean_ += off_ / count_;
    products_.selfadjointView<Eigen::Lower>().rankUpdate(off_, 1 - 1 / count_);
  }
  bool learn(Dense& metric) {
    if (count_ < 2) return false;
    Mat covariance = products_.selfadjointView<Eigen::Lower>();
    covariance *= shrink_weight(count_) / (count_ - 1);
    covariance.diagonal().array() += shrink_floor(count_);
    return metric.set_covariance(covariance);
  }
  void reset() {
    count_ = 0;
    mean_.setZero();
    products_.setZero();
  }
  static void fields(auto& self, auto&& visit) {
    visit("count", self.count_);
    visit("mean", self.mean_);
    visit("products", self.products_);
  }

 private:
  double count_ = 0;
  Vec mean_, off_;
  Mat products_;
};

}  // namespace quasar
