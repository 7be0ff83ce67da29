// A kernel whose mass is learned from its own momenta by Monte Carlo EM, while it draws. The mass is part of the state.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "adapt/mass_em.hpp"

namespace quasar {

// K: a kernel on the whole of x with params().mass, and the momentum at the end of an iteration in the state's p.
template <class K>
class LearnedMass {
 public:
  using Params = typename K::Params;
  static constexpr bool counts_its_start = requires { K::counts_its_start; };

  struct State : K::State {
    State(typename K::State inner, K with_mass, MassEm learner)
        : K::State(std::move(inner)), kernel(std::move(with_mass)), em(std::move(learner)) {}
    K kernel;  // with the mass of now
    MassEm em;

    double mass(Index i) const {  // of coordinate i
      const MassMatrix& all = kernel.params().mass;
      return all.matrix()(i, all.diagonal() ? 0 : i);
    }
    static void fields(auto& self, auto&& visit) {
      K::State::fields(self, visit);
      visit("mass", self.kernel.params().mass);
      visit("em", self.em);
    }
  };

  struct Info : K::Info {
    std::int64_t mass_updates = 0, mass_samples = 0;
    double smallest_mass = 0, largest_mass = 0, mean_mass = 0;
    static void fields(auto& self, auto&& visit) {
      K::Info::fields(self, visit);
      visit("mass_updates", self.mass_updates);
      visit("mass_samples", self.mass_samples);    // S, to the next M-step
      visit("smallest_mass", self.smallest_mass);  // of the diagonal
      visit("largest_mass", self.largest_mass);
      visit("mean_mass", self.mean_mass);  // |M|^(1/D)
    }
  };

  LearnedMass(K kernel, const MassEmSettings& settings) : kernel_(std::move(kernel)), settings_(settings) {}

  Params& params() { return kernel_.params(); }
  const Params& params() const { return kernel_.params(); }

  State init(const Vec& x, const Rng& rng) const {
    double thermostat_mass = 0;
    if constexpr (has_thermostat_mass) thermostat_mass = params().thermostat_mass;
    return {kernel_.init(x, rng), kernel_, MassEm(params().mass, settings_, thermostat_mass)};
  }
  void rebase(const Vec& x, State& s) const { kernel_.rebase(x, s); }
  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    return s.kernel.log_accept(step_size, x, s, rng);
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    if constexpr (requires(Params & p) { p.step_size; }) s.kernel.params().step_size = params().step_size;
    if constexpr (has_thermostat_mass) s.kernel.params().thermostat_mass = s.em.thermostat_mass();
    Info info{s.kernel.step(x, s, rng)};
    s.em.add(sample(s), s.kernel.params().mass, rng.child("mass"));
    report(s, info);
    return info;
  }

 private:
  static constexpr bool has_thermostat_mass = requires(Params & p) { p.thermostat_mass; };

  static MomentumSample sample(const State& s) {
    MomentumSample sample{s.p};
    if constexpr (requires { s.xi; }) {
      sample.thermostat = true;
      sample.friction = s.kernel.params().variant == Params::a ? 0 : s.xi;
      sample.gradient = &s.grad;
    }
    if constexpr (has_thermostat_mass) sample.q = s.q;
    return sample;
  }

  static void report(const State& s, Info& info) {
    const MassMatrix& mass = s.kernel.params().mass;
    info.mass_updates = s.em.updates();
    info.mass_samples = s.em.samples();
    info.smallest_mass = std::pow(mass.root_diagonal().minCoeff(), 2);
    info.largest_mass = std::pow(mass.root_diagonal().maxCoeff(), 2);
    info.mean_mass = std::exp(mass.log_det() / static_cast<double>(mass.dim()));
  }

  K kernel_;  // with the mass of the start
  MassEmSettings settings_;
};

}  // namespace quasar
