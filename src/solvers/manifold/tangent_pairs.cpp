#include "solvers/manifold/tangent_pairs.hpp"

#include <algorithm>

#include "metrics/curvature_pair.hpp"

namespace quasar {

TangentPairs::TangentPairs(const Manifold& manifold, Index memory) : manifold_(&manifold) {
  const auto [rows, cols] = manifold.shape();
  pairs_.resize(static_cast<std::size_t>(memory), {Mat::Zero(rows, cols), Mat::Zero(rows, cols), 0, 0, 0});
}

void TangentPairs::forget(Index i) {
  std::rotate(pairs_.begin() + i, pairs_.begin() + i + 1, pairs_.begin() + count_);
  --count_;
}

bool TangentPairs::add(MatIn x, MatIn z, MatIn y, double least) {
  const double zy = manifold_->inner(x, z, y), zz = manifold_->inner(x, z, z), yy = manifold_->inner(x, y, y);
  if (pairs_.empty() || !(zz > 0) || !(yy > 0)) return false;
  if (least > any_curvature && !usable({zy, zz, yy}, least)) return false;
  if (count_ == std::ssize(pairs_)) forget(0);
  Pair& newest = at(count_++);
  newest.z = z;
  newest.y = y;
  newest.zy = zy;
  newest.yy = yy;
  return true;
}

void TangentPairs::carry(const Moves& moves, MatIn from, MatIn to) {
  for (Index i = count_ - 1; i >= 0; --i) {
    Pair& pair = at(i);
    moves.carry(from, to, pair.z, pair.z);
    moves.carry(from, to, pair.y, pair.y);
    if (moves.isometric()) continue;
    pair.zy = manifold_->inner(to, pair.z, pair.y);
    pair.yy = manifold_->inner(to, pair.y, pair.y);
    if (!(pair.zy > 0)) forget(i);
  }
}

void TangentPairs::apply(MatIn x, MatIn v, MatOut out) {
  out = v;
  if (count_ == 0) return;
  for (Index i = count_ - 1; i >= 0; --i) {
    Pair& pair = at(i);
    pair.weight = manifold_->inner(x, pair.z, out) / pair.zy;
    out -= pair.weight * pair.y;
  }
  out *= at(count_ - 1).zy / at(count_ - 1).yy;
  for (Index i = 0; i < count_; ++i) {
    const Pair& pair = at(i);
    out += (pair.weight - manifold_->inner(x, pair.y, out) / pair.zy) * pair.z;
  }
}

}  // namespace quasar
