// Newton's method in a ball: the quadratic model f + <g, u> + <H u, u> / 2 is minimized over |u| <= radius by truncated
// conjugate gradients (Steihaug and Toint), and the radius follows how well the model foretells the cost (Absil, Baker
// and Gallivan, Foundations of Computational Mathematics 7, 2007).
#pragma once

#include <limits>

#include "solvers/manifold/armijo.hpp"

namespace quasar {

class ManifoldTrustRegion {
 public:
  struct Params {
    double largest_radius = std::numeric_limits<double>::infinity();
    double least_agreement = 0.1;
    double kappa = 0.1,
           theta = 1;  // the residual falls to |r0| min((|r0| / |g_start|)^theta, kappa): quadratic at the end
  };
  struct State : DescentState {
    double radius = 0, first_gradient = 0;
    std::int64_t hessians = 0, refused = 0;
    Mat residual = {}, conjugate = {}, curved = {}, step_curved = {};  // scratch of the inner iteration
  };
  explicit ManifoldTrustRegion(ManifoldProblem& problem) : ManifoldTrustRegion(problem, Params{}) {}
  ManifoldTrustRegion(ManifoldProblem& problem, const Params& params);
  State init(const Mat& start);
  StepOutcome step(State& state);

 private:
  void go_to_edge(State& state, double along) const;
  void minimize_model(State& state);
  ManifoldProblem* problem_;
  Params params_;
  Moves moves_;
};

}  // namespace quasar
