// mass=fisher: what the samplers with momentum on minibatches share.
#pragma once

#include <memory>
#include <utility>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/errors.hpp>

#include "adapt/fisher_mass.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

inline bool learns_fisher_mass(const Config& config) { return config.text("mass") == "fisher"; }

// Where the posterior is and what the variance of its minibatches is there; the estimator will measure it from now on.
// UsageError: there are none.
void prepare_fisher(Target& target, StochasticSetup& setup);

// Measures the scale of the problem again in the coordinates of the new mass, unless the user has given a step size,
// and lets set(kernel, state, local, mass) choose by it.
template <class Set>
struct RetuneAtMode {
  Target* target;
  StochasticSetup setup;
  Set set;

  template <class K>
  void operator()(K& kernel, typename K::State& s, const Vec& mass) const {
    LocalScale local;
    if (setup.step_is_auto) {
      local = measure_again(*target, setup.estimator, setup.local, mass);
      s.estimate.spent.gradients += local.gradients;
      s.estimate.spent.terms += local.gradients * dynamic_cast<FiniteSum&>(*target).terms();
    }
    set(kernel, s, local, mass);
  }
};

template <class K, class Set>
std::unique_ptr<Chain> make_fisher(std::unique_ptr<Target> target, StochasticSetup setup, typename K::Params params,
                                   const ChainSpec& spec, Set set) {
  prepare_fisher(*target, setup);
  const auto terms = static_cast<double>(dynamic_cast<FiniteSum&>(*target).terms());
  const double share = static_cast<double>(setup.estimator.batch_size) / terms;
  FisherMass<RetuneAtMode<Set>> adapter(spec.schedule.warmup, setup.local.variances, share,
                                        {target.get(), setup, std::move(set)});
  return make_stochastic<K>(std::move(target), setup, std::move(params), spec, std::move(adapter));
}

}  // namespace quasar
