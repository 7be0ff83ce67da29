#include "kernels/langevin/hamcmc.hpp"

#include <cmath>

#include "kernels/langevin/euler.hpp"

namespace quasar {

namespace {

constexpr double first_length = 1e-4;  // of a pair's coordinates before any scale is known

// |s|/|y|, usable or not: one over the curvature along a random direction, whatever its sign.
double rough_scale(const HamcmcState& s) {
  const double found = s.pair_s.norm() / s.pair_y.norm();
  return std::isfinite(found) && found > 0 ? found : 1;
}

}  // namespace

Hamcmc::State Hamcmc::init(const Vec& x, const Rng& rng) const {
  return init(std::vector<Vec>(static_cast<std::size_t>(params_.memory), x), rng);
}

// Every member but the first leaves a pair before the first step.
Hamcmc::State Hamcmc::init(const std::vector<Vec>& points, const Rng& rng) const {
  const Index dim = points.front().size();
  State s;
  start(points.front(), s, rng);
  s.positions.resize(dim, params_.memory);
  s.h = Lbfgs(block_.size, params_.memory - 1);
  s.displaced = s.displaced_grad = Vec::Zero(dim);
  s.drift = s.move = s.pair_s = s.pair_y = Vec::Zero(block_.size);
  s.step_size = params_.step.at(1);
  for (Index member = 0; member < params_.memory; ++member) {
    const Vec& x = points[static_cast<std::size_t>(member)];
    s.positions.col(member) = x;
    if (member == 0) continue;
    fresh_gradient(x, s);
    leave_random_pair(x, s, rng.child("pair", static_cast<std::uint64_t>(member)));
    if (member == 1 || s.h.pairs() == 0) s.first_scale = rough_scale(s);
  }
  s.h.set_initial_scale(scale(s));
  return s;
}

void Hamcmc::rebase(const Vec& x, State& s) const {
  s.positions.col((s.turn + params_.memory - 1) % params_.memory) = x;
}

Hamcmc::Info Hamcmc::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  x = s.positions.col(s.turn);
  fresh_gradient(x, s);
  s.h.set_initial_scale(scale(s));
  Info info;
  info.pairs = s.h.pairs();
  preconditioned_move(s.h, s.step_size, langevin_spread(s.step_size, params_.temperature), own(s.grad),
                      rng.stream("noise"), s.drift, s.move);

  const bool learning = !params_.frozen;
  if (learning && params_.pairs == Params::random) leave_random_pair(x, s, rng);
  own(x) += s.move;
  into_support(x);
  if (learning && params_.pairs == Params::printed) {
    s.pair_s = own(x) - own_columns(s).col(s.turn);
    leave_pair(x, s);
  }
  s.positions.col(s.turn) = x;
  s.turn = (s.turn + 1) % params_.memory;
  info.refused_pairs = s.h.dropped();
  return report(s, info);
}

double Hamcmc::scale(const State& s) const {
  if (params_.initial_scale > 0) return params_.initial_scale;
  return s.h.pairs() > 0 ? s.h.newest_scale() : s.first_scale;
}

// As long as a move in the directions that no pair knows: the curvature is that of the place as e -> 0.
double Hamcmc::pair_length(const State& s) const {
  return s.t == 0 ? first_length : std::sqrt(2 * s.step_size * scale(s));
}

void Hamcmc::leave_random_pair(const Vec& x, State& s, const Rng& rng) const {
  rng.stream("pair").normals(s.pair_s);
  s.pair_s *= pair_length(s);
  s.displaced = x;
  own(s.displaced) += s.pair_s;
  if (!target_->support().empty()) {  // a pair has both of its ends where the density is
    into_support(s.displaced);
    s.pair_s = own(s.displaced) - own(x);
  }
  leave_pair(s.displaced, s);
}

// y = change of grad U along s, on the batch of s.grad. The pairs in h are those of the last M - 1 steps, fewer where
// one was refused: never the older pair of the member that moves next.
void Hamcmc::leave_pair(const Vec& displaced, State& s) const {
  const bool ok = estimator_.gradient(s.estimate, displaced, s.displaced_grad).ok;
  s.pair_y = own(s.grad) - own(s.displaced_grad) + params_.shift * s.pair_s;
  if (!ok) s.pair_y.setZero();  // the guard refuses it
  const bool full = s.h.pairs() == s.h.memory(), falls = falls_out(s);
  if (falls && !full) s.h.drop_oldest();
  const bool kept = s.h.add_pair(s.pair_s, s.pair_y, params_.min_curvature);
  if (full && !kept) s.h.drop_oldest();
  s.history = (s.history << 1 | static_cast<std::int64_t>(kept)) & ((std::int64_t{1} << (params_.memory - 1)) - 1);
}

bool Hamcmc::falls_out(const State& s) const { return (s.history >> (params_.memory - 2) & 1) != 0; }

}  // namespace quasar
