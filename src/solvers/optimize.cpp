#include "solvers/optimize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

#include "metrics/lbfgs.hpp"
#include "solvers/line_search.hpp"

namespace quasar {
namespace {

// A method proposes directions from gradients and learns from the steps made.
class QuasiNewton {
 public:
  QuasiNewton(Index dim, const OptimizeOptions& options) : h_(dim, options.memory), c2_(options.curvature) {}
  void direction(const Vec& gradient, Vec& out) {
    if (h_.pairs() == 0) h_.set_initial_scale(1 / gradient.norm());  // nothing is known: a step of length one
    h_.apply(gradient, out);
    out = -out;
  }
  LineSearch search(Ray& ray, const RayPoint& start) const { return strong_wolfe(ray, start, 1, c2_); }
  void learn(const Vec& s, const Vec& y) {
    if (h_.add_pair(s, y)) h_.set_initial_scale(h_.newest_scale());
  }
  bool restart() {  // false: there is nothing to forget
    const bool had_pairs = h_.pairs() > 0;
    h_.clear();
    return had_pairs;
  }

 private:
  Lbfgs h_;
  double c2_;
};

class SteepestDescent {
 public:
  void direction(const Vec& gradient, Vec& out) {
    if (step_ == 0) step_ = 1 / gradient.norm();
    out = -step_ * gradient;
  }
  LineSearch search(Ray& ray, const RayPoint& start) {
    const LineSearch found = backtrack(ray, start, 2);
    if (found.outcome == LineSearch::moved) step_ *= found.end.step;
    return found;
  }
  void learn(const Vec& /*s*/, const Vec& /*y*/) {}
  bool restart() { return false; }

 private:
  double step_ = 0;
};

[[noreturn]] void no_mode(const RayPoint& at, double gradient_norm, std::int64_t iterations, const char* why) {
  throw RunError(
      fmt::format("no mode found: after {} iterations the log density is {:.6g}, its gradient {:.3g} long, and {}. It "
                  "may have no highest point: check the priors and the data, or start elsewhere with --init",
                  iterations, -at.u, gradient_norm, why));
}

// At a mode the gradient vanishes. Where it has grown this much the density rises to infinity at a point.
constexpr double steepest = 1e10;

// What is left to gain, by a quadratic model along the direction, is below what the rounding of U may hide.
bool negligible(double slope, double u) { return -0.5 * slope <= 1e-8 * std::max(1.0, std::abs(u)); }

template <class Method>
Optimum climb(Target& target, const Vec& start, const OptimizeOptions& options, Method method) {
  Ray ray(target, start.size());
  ray.from = start;
  ray.direction.setZero();
  RayPoint at = ray.at(0);
  if (!std::isfinite(at.u)) throw RunError("the log density or its gradient is not finite at the starting point");
  Vec gradient = ray.gradient;
  const double spike = steepest * (1 + gradient.norm());
  const auto result = [&](std::int64_t iterations, StopReason reason) {
    return Optimum{ray.from, -at.u, gradient.norm(), iterations, ray.evaluations(), reason};
  };
  for (std::int64_t iteration = 0;; ++iteration) {
    if (gradient.norm() <= options.tolerance) return result(iteration, StopReason::converged);
    if (iteration >= options.max_iterations || ray.evaluations() >= options.max_gradients) {
      return result(iteration, StopReason::iteration_limit);
    }
    method.direction(gradient, ray.direction);
    const double slope = gradient.dot(ray.direction);
    const LineSearch found = method.search(ray, {0, at.u, slope});
    const auto fail = [&](const char* why) { no_mode(at, gradient.norm(), iteration, why); };
    if (found.outcome == LineSearch::unbounded) fail("it rises along a line without end");
    if (found.outcome == LineSearch::stuck) {
      if (negligible(slope, at.u) && !found.saw_edge) return result(iteration, StopReason::precision);
      if (method.restart()) continue;
      fail(found.saw_edge ? "it rises up to the edge of where it is finite" : "no step along it leads higher");
    }
    if (ray.gradient.norm() > spike) fail("it rises to a spike");
    method.learn(ray.x - ray.from, ray.gradient - gradient);
    at = found.end;
    ray.from = ray.x;
    gradient = ray.gradient;
  }
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::iteration_limit:
      return "iteration_limit";
    case StopReason::precision:
      return "precision";
  }
  return {};
}

Optimum optimize(Target& target, const Vec& start, const OptimizeOptions& options) {
  if (options.method == OptimizeOptions::lbfgs) {
    return climb(target, start, options, QuasiNewton(start.size(), options));
  }
  return climb(target, start, options, SteepestDescent());
}

}  // namespace quasar
