// A mass matrix, factorised: one that stays, or the metric G(x) of the place where a Riemannian sampler is.
#pragma once

#include <Eigen/Cholesky>

#include <type_traits>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// Diagonal metrics cost O(D) throughout, dense ones O(D^3) to renew and O(D^2) to use. Nothing allocates once sized.
class MassMatrix {
 public:
  explicit MassMatrix(Index dim = 0, bool diagonal = false);  // the identity

  // False: it is not positive definite or not finite, and this object must not be used before another has been set.
  bool set(const Mat& g);                // D x 1 or D x D, as constructed
  bool renew(Geometry& geometry, In x);  // G = G(x)

  bool diagonal() const { return diagonal_; }
  const Mat& matrix() const { return g_; }
  double log_det() const { return log_det_; }
  const Vec& root_diagonal() const { return root_diagonal_; }        // sqrt(G_ii): one over the natural unit of x_i
  const Vec& inverse_diagonal() const { return inverse_diagonal_; }  // 1/G_ii of a diagonal one
  Index dim() const { return root_diagonal_.size(); }
  void multiply(In u, Out p) const;        // p = G u
  void solve(In p, Out u) const;           // u = G^-1 p, also in place
  void solve_columns(Mat& columns) const;  // G^-1 M in place; M is D x 1 or D x D as of directional
  void inverse(Mat& out) const;            // G^-1, shaped as G
  void draw(Stream& noise, Out p) const;   // N(0, G)

  // The matrix alone is saved: what is loaded is factorised again, to the same bits.
  static void fields(auto& self, auto&& visit) {
    visit("matrix", self.g_);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) self.factorise();
  }

 private:
  bool factorise();

  bool diagonal_;
  Mat g_;
  Eigen::LLT<Mat> factor_;
  Vec root_diagonal_, inverse_diagonal_;
  double log_det_ = 0;
};

MassMatrix diagonal_mass(In diagonal);  // of positive numbers

}  // namespace quasar
