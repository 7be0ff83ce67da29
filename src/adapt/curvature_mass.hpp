// Quasi-Newton metrics: H from pairs (s, y) of displacements and changes of grad U, learned at the end of each warm-up
// window.
//
// Pairs of consecutive draws tell little of a few outlying directions among many: in whitened coordinates s is
// isotropic, so about dim pairs are needed (Gower and Richtarik 2017). Hence the pairs come from probing: Ritz pairs of
// a Lanczos process, which finds outlying curvature in a few more gradients than there are outliers. Where the matrix
// is small enough for dense BFGS, pairs of consecutive draws follow. The start of H is a diagonal of scales per
// coordinate or one scale for all. Of these candidates, and of the diagonal alone, held-out draws of the window choose.
#pragma once

#include <quasar/core.hpp>

#include "adapt/draw_window.hpp"
#include "adapt/lanczos.hpp"
#include "metrics/dense.hpp"
#include "metrics/lbfgs.hpp"

namespace quasar {

inline constexpr std::int64_t default_memory = 20;

// Metric: Lbfgs, whose memory says how many pairs to keep, or Dense.
template <class M>
class CurvatureMass {
 public:
  using Metric = M;
  explicit CurvatureMass(Index dim = 0) : window_(dim) {}
  void add(In x, In g) { window_.add(x, g); }
  bool learn(Metric& metric, const LocalGradient& gradient, const Rng& rng);
  void reset() { window_.reset(); }
  static void fields(auto& self, auto&& visit) { visit("window", self.window_); }

 private:
  DrawWindow window_;
};

extern template class CurvatureMass<Lbfgs>;
extern template class CurvatureMass<Dense>;

}  // namespace quasar
