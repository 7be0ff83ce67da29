// The naive quasi-Newton HMC that Fu, Luo and Zhang (2016) begin with: dx/dt = v, dv/dt = -H grad U with v ~ N(0, I).
//
// The leapfrog step is reversible and keeps volume while H is fixed, so with Metropolis on U + v'v/2 the law is right;
// but the flow keeps another energy, U + v'H^-1 v/2, so the acceptance does not tend to 1 with the step size. Without
// Metropolis a scalar H = b gives the tempered law exp(-b U). A baseline to compare with, not a sampler to use.
#pragma once

#include "kernels/hmc/hmc.hpp"

namespace quasar {

template <Preconditioner P>
class NaiveQnhmc : public Trajectory<NaiveQnhmc<P>, HmcParams<P>, HamiltonianState> {
  using Base = Trajectory<NaiveQnhmc<P>, HmcParams<P>, HamiltonianState>;
  friend Base;

 public:
  using State = HamiltonianState;
  using Base::Base;

 private:
  void begin(const Vec& x, State& s, const Rng& rng) const {
    this->place(x, s);
    rng.stream("velocity").normals(s.z.v);
    s.z.p = s.z.v;  // moves along, and is not looked at
    this->params_.metric.apply(s.z.g.segment(this->block_.begin, this->block_.size), s.z.hg);
  }
  void move(double step, State& s) const { leapfrog(*this->target_, this->params_.metric, this->block_, step, s.z); }
  double energy(const State& s) const { return s.z.u + 0.5 * s.z.v.squaredNorm(); }
};

}  // namespace quasar
