#include "kernels/thermostat/sg_nphmc_canonical.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quasar {

namespace {

constexpr Index piece = 1024;  // of a vector: stays in the fastest cache from one line of a loop to the next

}  // namespace

SgNphmcCanonical::SgNphmcCanonical(Target& target, Block block, EstimatorSettings estimator, Params params)
    : Stochastic(target, block, std::move(estimator), std::move(params)) {
  if (params_.mass.matrix().size() == 0) params_.mass = MassMatrix(block.size, true);
  if (!params_.mass.diagonal() && !params_.noise.none()) throw std::invalid_argument("a dense mass goes with V = 0");
}

SgNphmcCanonical::State SgNphmcCanonical::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.p = s.v = s.noise = s.variance = Vec::Zero(block_.size);
  refresh(s, rng);
  s.bath.q = 0;
  estimator_.draw_batch(s.estimate, x);
  rebase(x, s);
  return s;
}

SgNphmcCanonical::Info SgNphmcCanonical::step(Vec& x, State& s, const Rng& rng) const {
  const NoseHoover nh = nose_hoover();
  if (params_.refresh) refresh(s, rng);
  if (params_.hold_batch) fresh_gradient(x, s);
  Stream normals = rng.stream("noise");
  double kinetic = params_.thermostat ? twice_kinetic(s) : 0;
  for (std::int64_t i = 0; i < params_.leapfrog_steps; ++i) {
    next_step_size(s);
    const double half = 0.5 * s.step_size;
    if (params_.thermostat) nh.push(half, kinetic, block_.size, s.bath);
    const double damping = nh.damping(half, s.bath);
    travel(damping, normals, x, s);
    into_support(x, s.p);
    if (!params_.hold_batch) estimator_.draw_batch(s.estimate, x);
    gradient(x, s, s.grad);
    kinetic = kick(damping, s);
    if (params_.thermostat) nh.push(half, kinetic, block_.size, s.bath);
  }
  Info info;
  info.thermostat = s.bath.q / params_.thermostat_mass;
  return report(s, info);
}

void SgNphmcCanonical::refresh(State& s, const Rng& rng) const {
  Stream momentum = rng.stream("momentum"), thermostat = rng.stream("thermostat");
  params_.mass.draw(momentum, s.p);
  s.p *= std::sqrt(params_.temperature);
  if (params_.thermostat) s.bath.q = std::sqrt(params_.temperature * params_.thermostat_mass) * thermostat.normal();
}

double SgNphmcCanonical::twice_kinetic(State& s) const {
  const MassMatrix& mass = params_.mass;
  if (mass.diagonal()) return s.p.cwiseAbs2().dot(mass.inverse_diagonal());
  mass.solve(s.p, s.v);
  return s.p.dot(s.v);
}

double SgNphmcCanonical::kick(double damping, State& s) const {
  const double half = 0.5 * s.step_size;
  if (!params_.mass.diagonal()) {
    s.p = damping * (s.p + half * own(s.grad));
    return twice_kinetic(s);
  }
  double kinetic = 0;
  for (Index begin = 0; begin < block_.size; begin += piece) {
    const Index size = std::min(piece, block_.size - begin);
    auto p = s.p.segment(begin, size);
    p = damping * (p + half * s.grad.segment(block_.begin + begin, size));
    kinetic += p.cwiseAbs2().dot(params_.mass.inverse_diagonal().segment(begin, size));
  }
  return kinetic;
}

void SgNphmcCanonical::travel(double damping, Stream& normals, Vec& x, State& s) const {
  const double e = s.step_size, half = 0.5 * e, left = std::exp(-params_.friction * e);
  const double heat = -std::expm1(-2 * params_.friction * e) * params_.temperature;
  if (!params_.mass.diagonal()) {
    s.p = damping * s.p + half * own(s.grad);
    params_.mass.solve(s.p, s.v);
    own(x) += half * s.v;
    params_.mass.draw(normals, s.noise);
    s.p = left * s.p + std::sqrt(heat) * s.noise;
    params_.mass.solve(s.p, s.v);
    own(x) += half * s.v;
    return;
  }
  // A batch that is held is a constant force: over L steps it heats L times as much as L fresh ones.
  const double batches = params_.hold_batch ? static_cast<double>(params_.leapfrog_steps) : 1;
  if (!params_.noise.none()) params_.noise.variance(s.estimate, block_, batches * e * e, s.variance);
  for (Index begin = 0; begin < block_.size; begin += piece) {
    const Index size = std::min(piece, block_.size - begin);
    auto noise = s.noise.head(size).array();
    normals.normals(s.noise.head(size));
    if (params_.noise.none()) {
      noise *= std::sqrt(heat) * params_.mass.root_diagonal().segment(begin, size).array();
    } else {
      const auto mass = params_.mass.matrix().col(0).segment(begin, size).array();
      noise *= (heat * mass - s.variance.segment(begin, size).array()).max(0).sqrt();
    }
    double* const at = x.data() + block_.begin + begin;
    double* const p = s.p.data() + begin;
    const double* const drawn = s.noise.data();
    const double* const grad = s.grad.data() + block_.begin + begin;
    const double* const inverse_mass = params_.mass.inverse_diagonal().data() + begin;
    for (Index k = 0; k < size; ++k) {  // the two drifts in one
      const double kicked = damping * p[k] + half * grad[k];
      p[k] = left * kicked + drawn[k];
      at[k] += half * inverse_mass[k] * (kicked + p[k]);
    }
  }
}

}  // namespace quasar
