#include "samplers/believed_noise.hpp"

#include <quasar/errors.hpp>

#include "samplers/numbers.hpp"

namespace quasar {

BelievedNoise believed_noise(const Config& config, StochasticSetup& setup, Index dim) {
  if (config.text("noise_variance") != "learned") {
    const Vec given = numbers(config, "noise_variance", dim);
    if (given.minCoeff() < 0) throw UsageError("noise_variance must not be negative");
    return {false, given};
  }
  if (setup.estimator.kind != EstimatorSettings::full && setup.estimator.batch_size < 2) {
    throw UsageError("noise_variance=learned compares the halves of a batch: batch_size must be 2 or more");
  }
  setup.estimator.track_noise = true;
  return {true, Mat()};
}

}  // namespace quasar
