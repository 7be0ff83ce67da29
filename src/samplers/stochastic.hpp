// What the samplers on estimated gradients share: their parameters, and what stands behind "auto".
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "core/kernel_chain.hpp"
#include "estimators/gradient_estimator.hpp"
#include "kernels/step_schedule.hpp"

namespace quasar {

// step_size_doc says what a step is; own come after it and before the parameters that all share.
std::vector<ParamSpec> stochastic_params(std::string_view step_size_doc, std::initializer_list<ParamSpec> own = {});

// Of samplers with momentum.
inline constexpr ParamSpec steps_param{.name = "leapfrog_steps",
                                       .doc = "steps an iteration",
                                       .type = ParamSpec::integer,
                                       .init = "1",
                                       .min = 1,
                                       .max = 1e9};
inline constexpr std::array<Choice, 2> batch_schedules{{{"per_gradient"}, {"per_trajectory"}}};
inline constexpr ParamSpec batch_param{
    .name = "batch",
    .doc = "a fresh batch for every gradient, or one for the steps of an iteration, which heats more",
    .type = ParamSpec::choice,
    .init = "per_gradient",
    .choices = batch_schedules};
inline constexpr ParamSpec learnable_mass_param{
    .name = "mass",
    .doc =
        "diagonal of the mass: a number, one for each coordinate (a,b,...), "
        "or fisher: learned in warm-up from the variance of minibatches",
    .type = ParamSpec::text,
    .init = "1"};
Vec masses(const Config& config, Index dim);  // UsageError: not all are positive; 1 where they are to be learned

// Where the posterior is and how sharp: what a step size is chosen by, and where control variates are anchored.
struct LocalScale {
  Vec mode = {};         // empty: nobody has looked
  Vec root_mass = {};    // sqrt(M_ii): what follows is of the coordinates sqrt(M) x, which a sampler with mass M sees
  Vec sharpest = {};     // the direction of the largest curvature
  double curvature = 1;  // the largest of U there
  Vec variances = {};    // of a gradient estimate, coordinate by coordinate, without the mass
  double noise = 0;  // the largest variance of a gradient estimate: of a coordinate, or along the sharpest direction
  std::int64_t gradients = 0;  // full ones, spent to find out

  // The step e that inflates no variance by more than about 5 %: e H (curvature + noise) = 1/10.
  double langevin_step(double h = 1) const { return 0.1 / (h * (curvature + noise)); }
  // The same for a sampler with momentum, e^2 (curvature + noise/5) = 1/10, and the friction that slows down the
  // sharpest direction and takes up the noise twice over.
  double momentum_step() const { return std::sqrt(0.1 / (curvature + noise / 5)); }
  Vec near(const Rng& rng,
           std::span<const Interval> support) const;  // a standard deviation of the sharpest direction off
  double friction() const { return std::max(std::sqrt(curvature), momentum_step() * noise); }
};

LocalScale measure_scale(Target& target);  // the noise excepted
// The same at the same mode with another mass, noise and all.
LocalScale measure_again(Target& target, const EstimatorSettings& estimator, const LocalScale& local, const Vec& mass);

struct StochasticSetup {
  EstimatorSettings estimator;
  StepSchedule step;
  LocalScale local;                        // filled where the step size is learned, or the estimator wants a mode
  bool step_is_auto = false;               // then step.size is yet to be set
  std::span<const Interval> support = {};  // of the target
};

StochasticSetup stochastic_setup(Target& target, const Config& config);                    // by its step_size
StochasticSetup stochastic_setup(Target& target, const Config& config, double step_size);  // 0: auto

struct NoAdaptation {  // warm-up only moves the chain to where the posterior is
  template <class K>
  std::int64_t begin(K&, const Vec&, typename K::State&, const Rng&) {
    return 0;
  }
  template <class K>
  std::int64_t update(K&, const Vec&, typename K::State&, const typename K::Info&, const Rng&) {
    return 0;
  }
  template <class K>
  void finish(K&, const Vec&, typename K::State&) {}
  static void fields(auto&, auto&&) {}
};

// Where the mode was looked for, a chain without a given start begins near it: the step size is made for there.
ChainSpec near_mode(ChainSpec spec, const StochasticSetup& setup);

template <class K, class Adapter = NoAdaptation>
std::unique_ptr<Chain> make_stochastic(std::unique_ptr<Target> target, const StochasticSetup& setup,
                                       typename K::Params params, const ChainSpec& spec, const Adapter& adapter = {}) {
  K kernel(*target, moving_block(*target), setup.estimator, std::move(params));
  return std::make_unique<KernelChain<K, Adapter>>(std::move(target), std::move(kernel), adapter,
                                                   near_mode(spec, setup));
}

}  // namespace quasar
