#include "models/factorization/log_precisions.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

Vec logs_of_precisions(In values) {
  if (!(values.array() > 0).all()) throw UsageError("bpmf: precisions must be positive");
  return values.array().log();
}

void expect_believable(double log_precision, const GammaPrior& prior) {
  if (log_precision > least_log_precision(prior)) return;  // nor NaN
  throw Diverged(fmt::format(
      "the factors have run away: the precision of their prior is {:.3g}, which its own prior all but rules out. Try a "
      "ten times smaller step_size (learning_rate of sghmc), or a larger batch_size. Where ratings are so large that "
      "factors must be: model.scaling=range",
      std::exp(log_precision)));
}

}  // namespace quasar
