// The statistics every step reports, under ArviZ's names.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

void visit_step_stats(auto& self, auto&& visit) {
  visit("acceptance_rate", self.accept_prob);
  visit("step_size", self.step_size);
  visit("gradient_evaluations", self.grad_evals);
}

// Energy errors beyond this mean that the integrator has lost the trajectory (Stan's threshold).
inline constexpr double divergence_threshold = 1000;

}  // namespace quasar
