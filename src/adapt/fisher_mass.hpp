// A diagonal mass for samplers on minibatches, learned in warm-up: M = diag(V) b/n, where V is the variance of the
// gradient of b of n terms. Near a mode V is n/b times the Fisher information (of n terms), so that this is the
// diagonal of the curvature, for which no second derivative had to be taken; and noise proportional to the mass is what
// a scalar friction or thermostat can take up.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "adapt/windows.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

// Retune(kernel, state, mass) makes step size and friction fit the new mass.
template <class Retune>
class FisherMass {
 public:
  // variance: V at the mode, for a start; share: b/n.
  FisherMass(std::int64_t iterations, Vec variance, double share, Retune retune)
      : windows_(warmup_windows(iterations)), first_(std::move(variance)), share_(share), retune_(std::move(retune)) {}

  template <class K>
  std::int64_t begin(K& kernel, const Vec&, typename K::State& s, const Rng& rng) {
    learn(kernel, s, first_, rng);
    return 0;
  }

  // A new mass at the end of each window.
  template <class K>
  std::int64_t update(K& kernel, const Vec&, typename K::State& s, const typename K::Info&, const Rng& rng) {
    ++iteration_;
    const bool learned_all = window_ == std::ssize(windows_.ends);
    if (learned_all || iteration_ < windows_.ends[static_cast<std::size_t>(window_)]) return 0;
    ++window_;
    learn(kernel, s, s.estimate.noise.diagonal(), rng);
    return 0;
  }

  template <class K>
  void finish(K&, const Vec&, typename K::State&) {}

  static void fields(auto& self, auto&& visit) {
    visit("iteration", self.iteration_);
    visit("window", self.window_);
  }

 private:
  // The momenta become such as have the new mass.
  template <class K>
  void learn(K& kernel, typename K::State& s, const Vec& variance, const Rng& rng) {
    MassMatrix& mass = kernel.params().mass;
    Mat learned = share_ * variance;
    for (Index i = 0; i < learned.rows(); ++i) {  // what no minibatch has moved keeps its mass
      if (!(learned(i, 0) > 0 && std::isfinite(learned(i, 0)))) learned(i, 0) = mass.matrix()(i, 0);
    }
    mass.set(learned);
    retune_(kernel, s, learned);
    Stream normals = rng.stream("momentum");
    mass.draw(normals, s.p);
    s.p *= std::sqrt(kernel.params().temperature);
  }

  Windows windows_;
  Vec first_;
  double share_;
  Retune retune_;
  std::int64_t iteration_ = 0, window_ = 0;
};

}  // namespace quasar
