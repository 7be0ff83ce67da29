// Random-walk Metropolis (Metropolis et al. 1953): x' = x + e N(0, H), accepted with probability min(1, pi(x')/pi(x)).
#pragma once

#include <algorithm>
#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/potential.hpp"
#include "kernels/step_stats.hpp"

namespace quasar {

template <Preconditioner P>
class Rwm {
 public:
  struct Params {
    double step_size = 0.1;
    P metric = P();
    static void fields(auto& self, auto&& visit) {
      visit("step_size", self.step_size);
      visit("metric", self.metric);
    }
  };

  struct State {
    double u = 0;  // potential at x and its gradient: the metric may be learned from it
    Vec g;
    // scratch
    Vec move, proposal, proposal_g;
    double proposal_u = 0;
    static void fields(auto& self, auto&& visit) {
      visit("u", self.u);
      visit("g", self.g);
    }
  };

  struct Info : StepInfo {
    double lp = 0;
    static void fields(auto& self, auto&& visit) {
      visit("lp", self.lp);
      visit_step_stats(self, visit);
    }
  };

  Rwm(Target& target, Block block, Params params) : target_(&target), block_(block), params_(std::move(params)) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }

  State init(const Vec& x, const Rng&) const {
    State s;
    s.g.resize(x.size());
    s.move.resize(block_.size);
    s.proposal.resize(x.size());
    s.proposal_g.resize(x.size());
    rebase(x, s);
    return s;
  }

  void rebase(const Vec& x, State& s) const { s.u = potential(*target_, x, s.g); }
  double potential_at(In x, Out gradient) const { return potential(*target_, x, gradient); }

  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    Stream noise = rng.stream("move");
    params_.metric.draw(noise, s.move);
    s.proposal = x;
    s.proposal.segment(block_.begin, block_.size) += step_size * s.move;
    s.proposal_u = potential(*target_, s.proposal, s.proposal_g);
    return s.u - s.proposal_u;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    Info info;
    info.step_size = params_.step_size;
    info.grad_evals = 1;
    info.accept_prob = std::min(1.0, std::exp(log_accept(params_.step_size, x, s, rng)));
    if (rng.stream("choice").uniform() < info.accept_prob) {
      x.swap(s.proposal);
      s.g.swap(s.proposal_g);
      s.u = s.proposal_u;
    }
    info.lp = -s.u;
    return info;
  }

 private:
  Target* target_;
  Block block_;
  Params params_;
};

}  // namespace quasar
