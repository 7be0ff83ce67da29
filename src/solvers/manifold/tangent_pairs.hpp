// The memory of L-BFGS on a manifold: pairs z (displacement), y (difference of gradients), all of them tangent vectors
// at one point, which travel with it (Huang, Gallivan and Absil, SIAM J. Optimization 25, 2015).
#pragma once

#include <limits>
#include <vector>

#include "solvers/manifold/moves.hpp"

namespace quasar {

class TangentPairs {
 public:
  TangentPairs(const Manifold& manifold, Index memory);

  // Cautious (Li and Fukushima 2001): false, and nothing is stored, unless <z, y> > least |z|^2 and the angle between z
  // and y is not a right one, to rounding: so H stays positive, whatever the units of the cost. Beyond the memory the
  // oldest pair falls out.
  static constexpr double any_curvature = -std::numeric_limits<double>::infinity();  // `least` of who is not cautious
  bool add(MatIn x, MatIn z, MatIn y, double least);
  void carry(const Moves& moves, MatIn from,
             MatIn to);  // forgets pairs that a transport without isometry makes useless
  void clear() { count_ = 0; }

  // out = H v: two loops over the pairs, H0 = <z, y> / <y, y> of the newest (Nocedal 1980). Without pairs out = v.
  void apply(MatIn x, MatIn v, MatOut out);

  Index pairs() const { return count_; }
  const Mat& z(Index i) const { return at(i).z; }  // oldest first
  const Mat& y(Index i) const { return at(i).y; }
  double product(Index i) const { return at(i).zy; }  // <z, y>

 private:
  struct Pair {
    Mat z, y;
    double zy, yy, weight;  // weight: scratch of the two loops
  };
  Pair& at(Index i) { return pairs_[static_cast<std::size_t>(i)]; }
  const Pair& at(Index i) const { return pairs_[static_cast<std::size_t>(i)]; }
  void forget(Index i);

  const Manifold* manifold_;
  std::vector<Pair> pairs_;  // the first `count_` are in use
  Index count_ = 0;
};

}  // namespace quasar
