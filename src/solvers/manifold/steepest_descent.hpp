// x <- move(-t gradient), t by line search from twice the last one. The slowest and the surest.
#pragma once

#include "solvers/manifold/armijo.hpp"

namespace quasar {

class ManifoldDescent {
 public:
  using State = DescentState;
  explicit ManifoldDescent(ManifoldProblem& problem, Moves::Kind moves = Moves::cheap)
      : problem_(&problem), moves_(problem.manifold(), moves) {}
  State init(const Mat& start) { return start_descent(*problem_, start); }
  StepOutcome step(State& state);

 private:
  ManifoldProblem* problem_;
  Moves moves_;
};

}  // namespace quasar
