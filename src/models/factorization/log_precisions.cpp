#include "models/factorization/log_precisions.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

Vec logs_of_precisions(In values) {
  if (!(values.array() > 0).all()) throw UsageError("bpmf: precisions must be positive");
  return values.array().log();
}

void throw_run_away(std::string_view symptom) {
  throw Diverged(fmt::format(
      "the factors have run away: {}. With a sampler that has steps, try a ten times smaller step_size (learning_rate "
      "of sghmc), or a larger batch_size. With model.scaling=raw large ratings need large factors: use range",
      symptom));
}

void expect_believable(double log_precision, const GammaPrior& prior) {
  if (log_precision > least_log_precision(prior)) return;  // nor NaN
  throw_run_away(fmt::format("the precision of their prior is {:.3g}, which its own prior all but rules out",
                             std::exp(log_precision)));
}

}  // namespace quasar
