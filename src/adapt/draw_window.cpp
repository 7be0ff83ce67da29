#include "adapt/draw_window.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

// Enough to see the directions that stand out; the work at the end of a window grows with the cube of it.
constexpr Index most_room = 256, least_room = 16, most_numbers = 4'000'000;

}  // namespace

Index DrawWindow::capacity(Index dim) {
  return std::clamp(most_numbers / std::max<Index>(dim, 1), least_room, most_room);
}

DrawWindow::DrawWindow(Index dim) : x_(Mat::Zero(dim, capacity(dim))), g_(Mat::Zero(dim, capacity(dim))) {}

void DrawWindow::add(In x, In g) {
  if (seen_++ % stride_ != 0) return;
  if (kept_ == x_.cols()) {
    drop_every_other();
    if ((seen_ - 1) % stride_ != 0) return;
  }
  x_.col(kept_) = x;
  g_.col(kept_) = g;
  ++kept_;
}

void DrawWindow::drop_every_other() {
  const std::int64_t before = kept_;
  kept_ = 0;
  for (std::int64_t i = 0; i < before; i += 2, ++kept_) {
    x_.col(kept_) = x_.col(i);
    g_.col(kept_) = g_.col(i);
  }
  stride_ *= 2;
}

void DrawWindow::reset() {
  kept_ = seen_ = 0;
  stride_ = 1;
}

CentredDraws DrawWindow::centred() const {
  CentredDraws draws{x_.leftCols(kept_), g_.leftCols(kept_)};
  draws.x.colwise() -= draws.x.rowwise().mean().eval();
  draws.g.colwise() -= draws.g.rowwise().mean().eval();
  return draws;
}

CentredDraws every_other(const CentredDraws& draws, Index first) {
  const auto half = Eigen::seq(first, Eigen::last, Eigen::fix<2>);
  return {draws.x(Eigen::all, half), draws.g(Eigen::all, half)};
}

Vec fisher_scale(const CentredDraws& draws, In otherwise) {
  Vec scale(draws.x.rows());
  for (Index i = 0; i < scale.size(); ++i) {
    const double squared = std::sqrt(draws.x.row(i).squaredNorm() / draws.g.row(i).squaredNorm());
    const bool usable = std::isfinite(squared) && squared > 0;
    scale[i] = usable ? std::sqrt(std::clamp(squared, 1e-20, 1e20)) : otherwise[i];
  }
  return scale;
}

}  // namespace quasar
