// HMC as in hmc.hpp with a mass M that may be replaced between two iterations, and its momenta for others to learn
// from.
#pragma once

#include "kernels/hmc/trajectory.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct MassHmcParams : TrajectoryParams {
  MassMatrix mass;
  enum Momenta { after_metropolis, before_metropolis };
  Momenta momenta = after_metropolis;
};

struct MassHmcState : HamiltonianState {
  // scratch
  Vec p;  // the momentum at the end of the trajectory, or after the Metropolis test: rejected, that of the start
};

class InverseMass {  // H = M^-1
 public:
  explicit InverseMass(const MassMatrix& mass) : mass_(&mass) {}
  void apply(In v, Out out) const { mass_->solve(v, out); }
  void solve(In v, Out out) const { mass_->multiply(v, out); }
  void draw(Stream& r, Out out) const {
    mass_->draw(r, out);
    mass_->solve(out, out);
  }

 private:
  const MassMatrix* mass_;
};

class MassHmc : public Trajectory<MassHmc, MassHmcParams, MassHmcState> {
  using Base = Trajectory<MassHmc, MassHmcParams, MassHmcState>;
  friend Base;

 public:
  using State = MassHmcState;
  using Base::Base;

  State init(const Vec& x, const Rng& rng) const {
    State s = Base::init(x, rng);
    s.p = s.z.p;
    return s;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    const Info info = Base::step(x, s, rng);
    if (params_.momenta == Params::before_metropolis) s.p = s.z.p;
    return info;
  }

 private:
  void begin(const Vec& x, State& s, const Rng& rng) const {
    place(x, s);
    Stream noise = rng.stream("velocity");
    refresh(InverseMass(params_.mass), block_, noise, s.z);
    s.p = s.z.p;
  }
  void move(double step, State& s) const { leapfrog(*target_, InverseMass(params_.mass), block_, step, s.z); }
  double energy(const State& s) const { return s.z.energy(); }
  void accept(Vec& x, State& s) const {
    Base::accept(x, s);
    s.p = s.z.p;
  }
};

}  // namespace quasar
