// Nonlinear conjugate gradients: d <- -g + beta T d with beta = max(0, <g, g - T g_old> / <T d, g - T g_old>), Hestenes
// and Stiefel's, and d = -g where that does not descend (Absil, Mahony and Sepulchre 2008, section 8.3).
#pragma once

#include "solvers/manifold/armijo.hpp"

namespace quasar {

class ManifoldConjugateGradient {
 public:
  struct State : DescentState {
    Mat difference;  // scratch
  };
  explicit ManifoldConjugateGradient(ManifoldProblem& problem, Moves::Kind moves = Moves::cheap)
      : problem_(&problem), moves_(problem.manifold(), moves) {}
  State init(const Mat& start);
  StepOutcome step(State& state);

 private:
  double first_length(const State& state) const;
  void turn(State& state);
  ManifoldProblem* problem_;
  Moves moves_;
};

}  // namespace quasar
