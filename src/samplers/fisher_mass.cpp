#include "samplers/fisher_mass.hpp"

namespace quasar {

void prepare_fisher(Target& target, StochasticSetup& setup) {
  if (!target.conditionals().empty()) {
    throw UsageError(
        "mass=fisher is measured around the mode, and the mode of a model with Gibbs steps is no guide to its "
        "posterior: give numbers");
  }
  if (setup.estimator.kind != EstimatorSettings::minibatch || setup.estimator.batch_size < 2) {
    throw UsageError(
        "mass=fisher is learned from the variance of minibatches: it needs estimator=minibatch and a "
        "batch_size of 2 or more");
  }
  setup.estimator.track_noise = true;
  if (setup.step_is_auto) return;  // then all of it is known
  const LocalScale at_mode = measure_scale(target);
  setup.local = measure_again(target, setup.estimator, at_mode, Vec::Ones(target.dim()));
  setup.estimator.prepared += at_mode.gradients + setup.local.gradients;
}

}  // namespace quasar
