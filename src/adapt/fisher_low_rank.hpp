// A low-rank metric from draws and gradients (Seyboldt, Carlson and Carpenter 2026).
//
// Among all H the Fisher divergence is least where H C_g H = C_x, the geometric mean of C_x and C_g^-1: exact for a
// Gaussian after as many draws as dimensions. With fewer draws the equation is solved in the span of draws and
// gradients; of its solution the eigenvalues that stand out by a factor of two are kept. Two scales are tried before,
// one per coordinate and one for all, since scaling the coordinates of a rotated posterior hides its structure;
// held-out draws decide between them and the diagonal alone.
#pragma once

#include <algorithm>

#include <quasar/core.hpp>

#include "adapt/draw_window.hpp"
#include "metrics/low_rank.hpp"

namespace quasar {

inline Index fisher_rank(Index dim) {  // no more directions than draws and gradients can span
  return std::min({dim, Index{200}, 2 * DrawWindow::capacity(dim)});
}

class FisherLowRank {
 public:
  using Metric = LowRank;
  explicit FisherLowRank(Index dim = 0) : window_(dim) {}
  void add(In x, In g) { window_.add(x, g); }
  bool learn(LowRank& metric);
  void reset() { window_.reset(); }
  static void fields(auto& self, auto&& visit) { visit("window", self.window_); }

 private:
  DrawWindow window_;
};

}  // namespace quasar
