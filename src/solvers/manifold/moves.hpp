// How solvers move on a manifold and take tangent vectors along.
#pragma once

#include <cstdint>

#include <quasar/manifold_problem.hpp>

namespace quasar {

class Moves {
 public:
  enum Kind {
    geodesic,  // exp and parallel transport; cheap where the manifold has no closed form of them
    cheap,     // retraction and cheap transport
  };
  Moves(const Manifold& manifold, Kind kind)
      : manifold_(&manifold), exact_(kind == geodesic && manifold.has().parallel) {}

  void move(MatIn x, MatIn step, MatOut out) const;
  // move() to `out`; false: rounding or overflow leads elsewhere than to the manifold.
  bool leads_to_a_point(MatIn x, MatIn step, MatOut out) const;
  void carry(MatIn x, MatIn y, MatIn u, MatOut out) const;
  // For gradients whose difference is to tell curvature: parallel where there is a closed form, of either kind. Cheap
  // transports may twist, which adds a term in proportion to the gradient itself; that of a minibatch never vanishes.
  void carry_straight(MatIn x, MatIn y, MatIn u, MatOut out) const;
  // Halves the step until it leads to a point of the manifold. Returns how often it has; `most_halvings` of them: x
  // itself is no point, and out is not to be used.
  int move_safely(MatIn x, MatOut step, MatOut out) const;
  static constexpr int most_halvings = 40;

  bool isometric() const { return exact_ || manifold_->has().isometric; }
  const Manifold& manifold() const { return *manifold_; }

 private:
  const Manifold* manifold_;
  bool exact_;
};

}  // namespace quasar
