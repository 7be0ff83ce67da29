// The small algebra of L-BFGS: from dot products to the coefficients of a product, a solve or a draw.
//
// H starts from H0 = scale diag(shape); the m pairs, oldest first, are the columns of S and Y. With R the upper
// triangle of S'Y, D its diagonal and L its strictly lower triangle (Byrd, Nocedal & Schnabel, Math. Programming 63,
// 1994),
//   H g  = H0 (g - Y a) + S b,           R a = S'g,    R'b = D a - Y'H0 (g - Y a),
//   H^-1 = B0 - F M^-1 F' + Y D^-1 Y',   F = B0 S + Y D^-1 L',   M = S'B0 S + L D^-1 L',   B0 = H0^-1.
// Nothing here knows the dimension or where the vectors are: dot products may be sums over several processes.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

class LbfgsCoefficients {
 public:
  explicit LbfgsCoefficients(Index memory = 0);

  Index pairs() const { return pairs_; }
  Index memory() const { return sy_.rows(); }
  double scale() const { return scale_; }
  // A bound on H with its sharpest pair alone, |H| <= H0 |I - y s'/(s'y)|^2 + s's/(s'y); about that of all pairs, which
  // hardly meet in many dimensions.
  double largest() const;

  void clear() { pairs_ = 0; }
  void set_scale(double scale);
  void drop_oldest();
  // Dot products of a new pair (s, y) with every pair, oldest first and itself last: S'y, Y's, Y' diag(shape) y and
  // S' diag(1/shape) s. There must be room.
  void add(In s_y, In y_s, In y_y, In s_s);

  // H g = H0 (g - Y a) + S b from sg = S'g and yg = Y' diag(shape) g.
  void product(In sg, In yg, Out a, Out b) const;
  // H^-1 v = B0 (v - S a) + Y b from sv = S' diag(1/shape) v and yv = Y'v.
  void solve(In sv, In yv, Out a, Out b) const;
  // H0^1/2 z + S c ~ N(0, H) from yz = Y' diag(shape)^1/2 z, with z and zeta standard normal.
  void draw(In yz, In zeta, Out c) const;
  // B0^1/2 z - B0 S a + Y b ~ N(0, H^-1) from sz = S' diag(shape)^-1/2 z.
  void draw_inverse(In sz, In zeta, Out a, Out b) const;

  static void fields(auto& self, auto&& visit) {
    visit("pairs", self.pairs_);
    visit("scale", self.scale_);
    visit("sy", self.sy_);
    visit("yy", self.yy_);
    visit("ss", self.ss_);
    visit("factor", self.factor_);
  }

 private:
  auto kept(const Mat& gram) const { return gram.topLeftCorner(pairs_, pairs_); }
  auto curvatures()
      const {  // D, by its place in memory: Eigen's diagonal() refers to an element even when there is none
    using Strided = Eigen::InnerStride<>;
    return Eigen::Map<const Eigen::ArrayXd, 0, Strided>(sy_.data(), pairs_, Strided(sy_.rows() + 1));
  }
  void factorize(Index first_row);
  void solve_factored(Out v) const;

  Index pairs_ = 0;
  double scale_ = 1;
  Mat sy_, yy_, ss_;  // S'Y, Y' diag(shape) Y, S' diag(1/shape) S in their top left corners
  Mat factor_;        // Cholesky factor of M
};

}  // namespace quasar
