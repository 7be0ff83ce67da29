// The no-U-turn sampler (Hoffman and Gelman 2014) with multinomial weights and the generalised criterion
// (Betancourt 2017), including the two checks across the subtrees that Stan added.
//
// A trajectory doubles, forward or backward, until it turns: rho = sum of momenta, and it goes straight on while v'rho
// > 0 at both ends. A state is drawn with weight exp(E0 - E): within a new subtree exactly so, between the old
// trajectory and the new subtree with a bias to the new (probability min(1, w_new / w_old)).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/hmc/hamiltonian.hpp"
#include "kernels/step_stats.hpp"

namespace quasar {

template <Preconditioner P>
struct NutsParams {
  double step_size = 0.1;
  std::int64_t max_depth = 10;
  P metric = P();
  static void fields(auto& self, auto&& visit) {
    visit("step_size", self.step_size);
    visit("metric", self.metric);
  }
};

// A stretch of trajectory: its two ends, the sum of its momenta, and the state drawn from it.
struct Subtree {
  struct End {
    Vec p, v;
  };
  End first, last;  // in the order of building
  Vec rho;
  Vec x, g;  // the state drawn
  double u = 0, energy = 0;
  double log_weight = 0;

  void resize(Index dim, Index moving);
  void become(const PhasePoint& z, double energy, double log_weight);  // a stretch of one point
  void turn_around() { std::swap(first, last); }
};

// Whether `a` followed by `b` still goes straight on, over the whole and over each half with the neighbouring point.
bool goes_straight(const Subtree& a, const Subtree& b);

// Appends b to a. take: the state drawn from b stands for both.
void append(Subtree& a, Subtree& b, bool take);

double log_sum_exp(double a, double b);

struct NutsState : HamiltonianState {
  // scratch
  std::array<PhasePoint, 2> ends;  // backward, forward: where the trajectory can grow
  Subtree trajectory, grown;
  std::vector<Subtree> halves;  // one per depth
};

template <Preconditioner P>
class Nuts : public Hamiltonian<NutsParams<P>, NutsState> {
  using Base = Hamiltonian<NutsParams<P>, NutsState>;

 public:
  using State = NutsState;
  using Base::Base;

  struct Info : StepInfo {
    double lp = 0, energy = 0, energy_error = 0, max_energy_error = 0;
    std::int64_t tree_depth = 0, n_steps = 0;
    bool reached_max_tree_depth = false;
    static void fields(auto& self, auto&& visit) {
      visit("lp", self.lp);
      visit_step_stats(self, visit);
      visit("diverging", self.diverged);
      visit("energy", self.energy);
      visit("energy_error", self.energy_error);
      visit("max_energy_error", self.max_energy_error);
      visit("tree_depth", self.tree_depth);
      visit("n_steps", self.n_steps);
      visit("reached_max_tree_depth", self.reached_max_tree_depth);
    }
  };

  State init(const Vec& x, const Rng& rng) const {
    State s = Base::init(x, rng);
    s.ends.fill(s.z);
    s.trajectory.resize(x.size(), this->block_.size);
    s.grown.resize(x.size(), this->block_.size);
    s.halves.resize(static_cast<std::size_t>(this->params_.max_depth), Subtree{});
    for (Subtree& half : s.halves) half.resize(x.size(), this->block_.size);
    return s;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    Walk walk{*this, s, rng.stream("choice"), this->start(x, s, rng), 0, nullptr, 0, {}};
    s.ends.fill(s.z);
    s.trajectory.become(s.z, walk.energy0, 0);
    Info& info = walk.info;
    info.step_size = this->params_.step_size;
    while (info.tree_depth < this->params_.max_depth && walk.double_trajectory()) {
    }
    info.reached_max_tree_depth = info.tree_depth == this->params_.max_depth;
    info.accept_prob = walk.sum_accept / static_cast<double>(info.n_steps);
    info.grad_evals = info.n_steps;
    info.energy = s.trajectory.energy;
    info.energy_error = info.energy - walk.energy0;
    x.swap(s.trajectory.x);
    s.g.swap(s.trajectory.g);
    s.u = s.trajectory.u;
    info.lp = -s.u;
    return info;
  }

 private:
  struct Walk {  // one transition under way
    const Nuts& nuts;
    State& s;
    Stream choice;
    double energy0;
    double sum_accept;
    PhasePoint* moving;
    double signed_step;
    Info info;

    // One doubling. False: the trajectory has turned or diverged, or a subtree has.
    bool double_trajectory() {
      const bool forward = choice.uniform() < 0.5;
      moving = &s.ends[forward ? 1 : 0];
      signed_step = forward ? info.step_size : -info.step_size;
      if (!build(info.tree_depth, s.grown)) return false;
      ++info.tree_depth;
      if (!forward) s.trajectory.turn_around();  // so that growing is always at `last`
      const bool straight = goes_straight(s.trajectory, s.grown);
      append(s.trajectory, s.grown, choice.uniform() < std::exp(s.grown.log_weight - s.trajectory.log_weight));
      if (!forward) s.trajectory.turn_around();
      return straight;
    }

    // 2^depth steps from the moving point. False: turned or diverged inside, so that nothing of it may be used.
    bool build(std::int64_t depth, Subtree& out) {
      if (depth == 0) return leaf(out);
      if (!build(depth - 1, out)) return false;
      Subtree& right = s.halves[static_cast<std::size_t>(depth - 1)];
      if (!build(depth - 1, right)) return false;
      const bool straight = goes_straight(out, right);
      const double both = log_sum_exp(out.log_weight, right.log_weight);
      append(out, right, choice.uniform() < std::exp(right.log_weight - both));
      return straight;
    }

    bool leaf(Subtree& out) {
      s.diverged_at = moving->x;
      leapfrog(*nuts.target_, nuts.params_.metric, nuts.block_, signed_step, *moving);
      ++info.n_steps;
      double energy = moving->energy();
      if (std::isnan(energy)) energy = std::numeric_limits<double>::infinity();
      const double error = energy - energy0;
      if (std::abs(error) > std::abs(info.max_energy_error)) info.max_energy_error = error;
      sum_accept += std::min(1.0, std::exp(-error));
      if (error > divergence_threshold) {
        info.diverged = true;
        return false;
      }
      out.become(*moving, energy, -error);
      return true;
    }
  };
};

}  // namespace quasar
