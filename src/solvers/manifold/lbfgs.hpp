// L-BFGS with all terms: d = -H g, H from pairs of steps and differences of gradients that travel with x (Huang,
// Gallivan and Absil, SIAM J. Optimization 25, 2015).
#pragma once

#include "solvers/manifold/armijo.hpp"
#include "solvers/manifold/tangent_pairs.hpp"

namespace quasar {

class ManifoldLbfgs {
 public:
  struct Params {
    Index memory = 10;
    double least_curvature = 0;  // kappa of the cautious update: <z, y> > kappa |z|^2
    Moves::Kind moves = Moves::geodesic;
  };
  struct State : DescentState {
    TangentPairs pairs;
    Mat z, y;  // scratch
    std::int64_t skipped = 0;
  };
  explicit ManifoldLbfgs(ManifoldProblem& problem) : ManifoldLbfgs(problem, Params{}) {}
  ManifoldLbfgs(ManifoldProblem& problem, const Params& params)
      : problem_(&problem), params_(params), moves_(problem.manifold(), params.moves) {}
  State init(const Mat& start);
  StepOutcome step(State& state);

 private:
  void learn(State& state);
  ManifoldProblem* problem_;
  Params params_;
  Moves moves_;
};

}  // namespace quasar
