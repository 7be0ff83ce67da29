// Quasi-Newton HMC as published (Fu, Luo and Zhang 2016, algorithm 2, with the sign of the acceptance and the useless
// first update put right): dx/dt = C p, dp/dt = -C grad U, p ~ N(0, I), with C an inverse Hessian by BFGS.
//
// C is fixed within a trajectory; the pairs along the way update a copy, kept on acceptance. So C depends on the
// chain's past, that is on where it is now, and the law is wrong for ever: for short trajectories it tends to e^-U /
// |C|^2. Kept to reproduce what was published.
#pragma once

#include "kernels/hmc/trajectory.hpp"

namespace quasar {

// C: an approximate inverse Hessian with apply(v, out) and add_pair(s, y): BfgsMatrix or Lbfgs.
template <class C>
struct PrintedQnhmcState : HamiltonianState {
  C curvature;
  // scratch
  C proposed;
  Vec s, y;
  static void fields(auto& self, auto&& visit) {
    HamiltonianState::fields(self, visit);
    visit("curvature", self.curvature);
  }
};

template <class C>
struct PrintedQnhmcParams : TrajectoryParams {
  C initial = C();
  static void fields(auto& self, auto&& visit) { TrajectoryParams::fields(self, visit); }
};

template <class C>
class PrintedQnhmc : public Trajectory<PrintedQnhmc<C>, PrintedQnhmcParams<C>, PrintedQnhmcState<C>> {
  using Base = Trajectory<PrintedQnhmc<C>, PrintedQnhmcParams<C>, PrintedQnhmcState<C>>;
  friend Base;

 public:
  using State = PrintedQnhmcState<C>;
  using Base::Base;

  State init(const Vec& x, const Rng& rng) const {
    State s = Base::init(x, rng);
    s.curvature = s.proposed = this->params_.initial;
    s.s.resize(this->block_.size);
    s.y.resize(this->block_.size);
    return s;
  }

 private:
  auto moving(Vec& whole) const { return whole.segment(this->block_.begin, this->block_.size); }

  void begin(const Vec& x, State& s, const Rng& rng) const {
    this->place(x, s);
    rng.stream("velocity").normals(s.z.p);
    s.curvature.apply(moving(s.z.g), s.z.hg);
    s.proposed = s.curvature;
  }

  void move(double step, State& s) const {
    s.s = moving(s.z.x);
    s.y = moving(s.z.g);
    s.z.p -= 0.5 * step * s.z.hg;
    s.curvature.apply(s.z.p, s.z.v);
    moving(s.z.x) += step * s.z.v;
    s.z.u = potential(*this->target_, s.z.x, s.z.g);
    s.curvature.apply(moving(s.z.g), s.z.hg);
    s.z.p -= 0.5 * step * s.z.hg;
    s.s = moving(s.z.x) - s.s;
    s.y = moving(s.z.g) - s.y;
    s.proposed.add_pair(s.s, s.y);
  }

  double energy(const State& s) const { return s.z.u + 0.5 * s.z.p.squaredNorm(); }

  void accept(Vec& x, State& s) const {
    Base::accept(x, s);
    std::swap(s.curvature, s.proposed);
  }
};

}  // namespace quasar
