// How far to go along a direction: the step that ends one iteration of an optimizer of U = -log pi.
#pragma once

#include <cstdint>

#include <quasar/core.hpp>

namespace quasar {

struct RayPoint {
  double step, u, slope;  // u = +infinity: the target is not finite there, or outside its support
};

// U along from + step * direction.
class Ray {
 public:
  Ray(Target& target, Index dim) : from(dim), direction(dim), x(dim), gradient(dim), target_(target) {}
  RayPoint at(double step);  // leaves the point and the gradient of U there in x and gradient
  std::int64_t evaluations() const { return evaluations_; }

  Vec from, direction, x, gradient;

 private:
  Target& target_;
  std::int64_t evaluations_ = 0;
};

struct LineSearch {
  enum Outcome { moved, stuck, unbounded };
  Outcome outcome;
  RayPoint end;   // moved: where the ray's x and gradient are
  bool saw_edge;  // some trial was outside of where the density is finite
};

// Strong Wolfe conditions, U(t) <= U(0) + c1 t U'(0) and |U'(t)| <= c2 |U'(0)|: then s'y > 0 and the next L-BFGS update
// is positive definite (Nocedal & Wright, Numerical Optimization, 2nd ed., algorithms 3.5 and 3.6). Where rounding or
// an edge leaves none, the best point that satisfies the first.
LineSearch strong_wolfe(Ray& ray, const RayPoint& start, double first_step, double c2);

// Halves the step until the first condition holds.
LineSearch backtrack(Ray& ray, const RayPoint& start, double first_step);

}  // namespace quasar
