// H = the inverse Hessian that L-BFGS builds from pairs s (difference of points), y (difference of gradients of U):
// H <- V'HV + s s'/(s'y), V = I - y s'/(s'y), oldest pair first, starting from a diagonal.
//
// Products, solves and draws go through dot products with the pairs and their Gram matrices (lbfgs_coefficients.hpp),
// so that a product reads every pair twice and a draw reads it once. Nothing is allocated after construction.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "metrics/curvature_pair.hpp"
#include "metrics/lbfgs_coefficients.hpp"
#include "metrics/small_dense.hpp"

namespace quasar {

class Lbfgs {
 public:
  explicit Lbfgs(Index dim = 0, Index memory = 0);

  void set_initial(In h0);               // the diagonal that H starts from, > 0; keeps the pairs; O(m^2 d) with pairs
  void set_initial_scale(double scale);  // the same number everywhere; O(m^3) if it was so before

  // False: the guard refused the pair. When the memory is full the oldest pair falls out.
  bool add_pair(In s, In y, double min_curvature = exact_curvature);
  // Powell's damping first: where s'y < 0.2 s'B0 s, y is moved towards B0 s until s'y = 0.2 s'B0 s.
  bool add_damped_pair(In s, In y, double min_curvature = exact_curvature);
  void drop_oldest();  // O(m d): only for pairs that must go although no new one comes
  void clear();        // no pairs; the initial diagonal stays

  Index pairs() const { return coefficients_.pairs(); }
  Index memory() const { return s_.cols(); }
  Index dropped() const { return dropped_; }             // pairs that the guard has refused so far
  double newest_scale() const { return newest_scale_; }  // s'y / y'y of the newest pair; 1 without pairs

  // v and out are different vectors.
  void apply(In v, Out out) const;
  void solve(In v, Out out) const;
  void draw(Stream& r, Out out) const;          // N(0, H) from d normals and one more for each pair, oldest first
  void draw_inverse(Stream& r, Out out) const;  // N(0, H^-1), likewise

  Mat inverse_metric(Index dim) const { return small_dense(*this, dim); }

  static void fields(auto& self, auto&& visit) {
    visit("s", self.s_);
    visit("y", self.y_);
    visit("shape", self.shape_);
    visit("oldest", self.oldest_);
    visit("dropped", self.dropped_);
    visit("newest_scale", self.newest_scale_);
    visit("coefficients", self.coefficients_);
  }

 private:
  struct PerPair {  // one number for each pair
    explicit PerPair(Index memory) : s(memory), y(memory), a(memory), b(memory) {}
    Vec s, y, a, b;
  };

  Index dim() const { return s_.rows(); }
  Index slot(Index pair) const { return (oldest_ + pair) % memory(); }
  auto kept(const Mat& columns) const { return columns.leftCols(pairs()); }
  void renew_products();
  void keep(In s, In y);
  void add_products(Index pair, Index filled);
  template <class Rescale, class Coefficients>
  void sweep(const Mat& plain, const Mat& rescaled, In v, Out out, Rescale rescale, Coefficients coefficients) const;

  Mat s_, y_;  // a ring of columns: pair j, oldest first, is in column slot(j)
  Vec shape_;  // H0 = scale diag(shape)
  Index oldest_ = 0, dropped_ = 0;
  double newest_scale_ = 1;
  LbfgsCoefficients coefficients_;
  Vec vector_;               // scratch
  mutable PerPair scratch_;  // an object belongs to one chain
};

}  // namespace quasar
