// Stochastic variance-reduced L-BFGS: the inner steps of SVRG with an inverse Hessian H from pairs of displacements z
// and differences of gradients y (Roychowdhury, "Accelerated stochastic quasi-Newton optimization on Riemannian
// manifolds", 2017, with the signs, the displacement and the transport of its algorithm 2 corrected):
//
//   x <- move(-first_step v)             while there are no pairs, and for the first 2 pair_every inner steps
//   x <- move(-step_size H v)            afterwards
//
// Every `pair_every` inner steps a pair joins this point x with the last such point p, y = grad f_I(x) - T grad f_I(p)
// of one batch I. All pairs travel with x.
#pragma once

#include <limits>

#include "solvers/manifold/pair_block.hpp"
#include "solvers/manifold/tangent_pairs.hpp"
#include "solvers/manifold/variance_reduced.hpp"

namespace quasar {

class ManifoldSvLbfgs {
 public:
  enum PairKind {       // z, at x
    last_step = 1,      // T of the last step made: right for pair_every = 1 alone
    last_gradient = 2,  // T(-first_step v) of the last pair's v, as printed: not the displacement after the first steps
    displacement = 3,   // -log_x(p)
    snapshots = 4,      // pairs of snapshots, with the gradients of all terms there: no noise and no further gradients
  };
  enum Update {
    one_by_one,  // L-BFGS: H y = z for the newest pair
    together,    // for all of them, which must have no noise: snapshots alone (pair_block.hpp)
  };
  struct Params {
    double first_step = 0.05, step_size = 0.5;
    Index memory = 2, pair_every = 1;
    // So many outer loops at first are those of rSVRG, with steps of first_step and so many inner steps (0: as many as
    // batches go into the data): from far away they come near sooner than H, which pairs made on the way mislead.
    Index gradient_loops = 0, gradient_steps = 0;
    PairKind pairs = displacement;
    Update update = one_by_one;
    double longest_step = std::numeric_limits<double>::infinity();  // by H
    double least_curvature = 0;                                     // pairs with <z, y> below this |z|^2 are left out
    bool as_printed = false;  // x <- move(+step_size H v), every pair kept, and left where it was made
    BatchParams batches = {};
    Moves::Kind moves = Moves::geodesic;
  };
  struct State : VarianceReducedState {
    TangentPairs pairs;
    PairBlock block;
    Mat pair_point = {}, pair_v = {}, pair_step = {};  // p, and v and the step made there
    Mat old_snapshot = {}, old_gradient = {};
    Mat z = {}, y = {};
    std::int64_t loops = 0, inner = 1;  // loops made, and the next inner step after those by the gradient
    std::int64_t met = 0, skipped = 0;  // points of pairs so far; pairs left out
  };
  ManifoldSvLbfgs(ManifoldSum& sum, const Params& params, const Rng& rng);
  State init(const Mat& start);
  StepOutcome step(State& state);

  void take_snapshot(State& state) const;
  StepOutcome inner_step(State& state) const;

 private:
  void make_pair(State& state) const;
  void pair_snapshots(State& state) const;
  void add_pair(State& state, MatIn at) const;
  void learn(State& state) const;
  bool makes_pairs(const State& state) const { return params_.memory > 0 && state.loops >= params_.gradient_loops; }
  bool goes_by_gradient(const State& state) const;
  void choose_step(State& state) const;
  void apply_at_snapshot(State& state) const;
  void shorten(State& state) const;
  template <class Work>
  void unless_antipodal(State& state, const Work& work) const;

  VarianceReduced gradients_;
  Params params_;
};

}  // namespace quasar
