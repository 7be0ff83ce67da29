// The draws of a warm-up window and grad U at each, evenly thinned to what fits.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

struct CentredDraws {  // one draw, one gradient per column, the means taken off
  Mat x, g;
};

class DrawWindow {
 public:
  explicit DrawWindow(Index dim = 0);

  static Index capacity(Index dim);

  void add(In x, In g);
  void reset();
  Index kept() const { return kept_; }
  CentredDraws centred() const;

  static void fields(auto& self, auto&& visit) {
    visit("x", self.x_);
    visit("g", self.g_);
    visit("kept", self.kept_);
    visit("seen", self.seen_);
    visit("stride", self.stride_);
  }

 private:
  void drop_every_other();
  Mat x_, g_;
  std::int64_t kept_ = 0, seen_ = 0, stride_ = 1;
};

CentredDraws every_other(const CentredDraws& draws, Index first);  // beginning with the first (0) or the second (1)

// How far H is from making draws and gradients alike: the mean of (x'H^-1 x + g'H g) / (2 dim). For a Gaussian with
// covariance S its expectation is least, and 1, at H = S: the part of the Fisher divergence that depends on H.
template <Preconditioner P>
double mismatch(const P& metric, const CentredDraws& draws) {
  const Index dim = draws.x.rows(), count = draws.x.cols();
  Vec image(dim);
  double sum = 0;
  for (Index i = 0; i < count; ++i) {
    metric.solve(draws.x.col(i), image);
    sum += draws.x.col(i).dot(image);
    metric.apply(draws.g.col(i), image);
    sum += draws.g.col(i).dot(image);
  }
  return sum / static_cast<double>(2 * dim * (count - 1));
}

// r with r_i^2 = sqrt(Var x_i / Var g_i), the diagonal of least mismatch; `otherwise` where a coordinate never moved or
// its gradient never changed.
Vec fisher_scale(const CentredDraws& draws, In otherwise);

}  // namespace quasar
