// VR-PCA: w <- normalized w + step_size (d_i (d_i'w - d_i's) + A s) with a snapshot s of w, for the leading eigenvector
// of A = (1/N) sum d_i d_i' (Shamir, ICML 2015). The one of these solvers that knows nothing of manifolds. Needs a
// start that is not orthogonal to the answer, whose sign is that of the start.
#pragma once

#include "manifolds/problems/leading_eigenvector.hpp"
#include "solvers/manifold/minimize.hpp"

namespace quasar {

class VrPca {
 public:
  struct Params {
    double step_size = 0;   // 0: 1 / (r sqrt N), r the mean of |d_i|^2
    Index inner_steps = 0;  // 0: N
  };
  struct State : ManifoldState {
    Mat snapshot, product;  // s, A s
    std::int64_t draws = 0;
  };
  VrPca(LeadingEigenvector& problem, const Params& params, const Rng& rng);
  State init(const Mat& start);
  StepOutcome step(State& state);

  void take_snapshot(State& state) const;
  void inner_steps(State& state, Stream stream) const;
  void inner_step(State& state, Index term) const;
  double step_size() const { return params_.step_size; }

 private:
  LeadingEigenvector* problem_;
  Params params_;
  Rng rng_;
};

}  // namespace quasar
