#include "kernels/hmc/hmc_bfgs.hpp"

#include <algorithm>

namespace quasar {
namespace {

// H from the members other than k. Its first scale is s'y / y'y of the newest pair.
void learn_from_others(Index k, EnsembleState& e, Block block, Lbfgs& metric) {
  const Index members = e.positions.cols();
  metric.clear();
  metric.set_initial_scale(1);
  for (Index i = 1; i + 1 < members; ++i) {
    const Index from = (k + i) % members, to = (k + i + 1) % members;
    e.s = (e.positions.col(to) - e.positions.col(from)).segment(block.begin, block.size);
    e.y = (e.gradients.col(to) - e.gradients.col(from)).segment(block.begin, block.size);
    metric.add_pair(e.s, e.y);
  }
  metric.set_initial_scale(metric.newest_scale());
}

}  // namespace

HmcBfgs::State HmcBfgs::init(const Vec& x, const Rng& rng) const {
  return init(std::vector<Vec>(static_cast<std::size_t>(params_.members), x), rng);
}

HmcBfgs::State HmcBfgs::init(const std::vector<Vec>& points, const Rng&) const {
  const Index dim = target_->dim(), members = std::ssize(points);
  HmcParams<Lbfgs> params{params_, Lbfgs(block_.size, std::max<Index>(members - 2, 1))};
  Hmc<Lbfgs> hmc(*target_, block_, std::move(params));
  HamiltonianState member = hmc.sized(points.front());
  State s{Mat(dim, members), Mat(dim, members), Vec(members),     0,       Vec(dim), std::move(member),
          std::move(hmc),    Vec(block_.size),  Vec(block_.size), Vec(dim)};
  for (Index k = 0; k < members; ++k) {
    s.positions.col(k) = points[static_cast<std::size_t>(k)];
    s.potentials[k] = potential(*target_, s.positions.col(k), s.gradients.col(k));
  }
  s.g = s.gradients.col(0);
  return s;
}

// x is the member that was moved last.
void HmcBfgs::rebase(const Vec& x, State& s) const {
  const Index k = (s.turn + params_.members - 1) % params_.members;
  s.positions.col(k) = x;
  s.potentials[k] = potential(*target_, x, s.gradients.col(k));
  s.g = s.gradients.col(k);
}

// Puts the member whose turn it is, and its metric, where HMC finds them.
void HmcBfgs::take_turn(State& s) const {
  static_cast<TrajectoryParams&>(s.hmc.params()) = params_;
  learn_from_others(s.turn, s, block_, s.hmc.params().metric);
  s.member.u = s.potentials[s.turn];
  s.member.g = s.gradients.col(s.turn);
}

double HmcBfgs::log_accept(double step_size, const Vec&, State& s, const Rng& rng) const {
  take_turn(s);
  return s.hmc.log_accept(step_size, s.positions.col(s.turn), s.member, rng);
}

HmcBfgs::Info HmcBfgs::step(Vec& x, State& s, const Rng& rng) const {
  take_turn(s);
  x = s.positions.col(s.turn);
  Info info{s.hmc.step(x, s.member, rng), s.hmc.params().metric.pairs()};
  s.positions.col(s.turn) = x;
  s.gradients.col(s.turn) = s.g = s.member.g;
  s.potentials[s.turn] = s.member.u;
  s.diverged_at = s.member.diverged_at;
  s.turn = (s.turn + 1) % params_.members;
  return info;
}

}  // namespace quasar
