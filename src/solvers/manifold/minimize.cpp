#include "solvers/manifold/minimize.hpp"

namespace quasar {

std::string_view to_string(ManifoldStop stop) {
  switch (stop) {
    case ManifoldStop::converged:
      return "converged";
    case ManifoldStop::iteration_limit:
      return "iteration_limit";
    case ManifoldStop::no_decrease:
      return "no_decrease";
    case ManifoldStop::not_finite:
      return "not_finite";
    case ManifoldStop::interrupted:
      return "interrupted";
  }
  return {};
}

bool WithinStep::ends(const Progress& progress) {
  if (rules_ == nullptr) return false;
  const bool close = !rules_->error && progress.gradient_norm <= rules_->gradient_norm;
  if (interrupted_ || close || progress.passes >= rules_->max_passes) return true;
  const auto now = Clock::now();
  if (!rules_->go_on_within || now - asked_ < std::chrono::milliseconds(100)) return false;
  asked_ = now;
  interrupted_ = !rules_->go_on_within(progress);
  return interrupted_;
}

bool is_close_enough(const ManifoldState& state, const StopRules& rules) {
  if (rules.error) return rules.error(state.x) <= rules.least_error;
  return state.progress.gradient_norm <= rules.gradient_norm;
}

bool is_at_limit(const Progress& progress, const StopRules& rules) {
  return progress.steps >= rules.max_steps || progress.passes >= rules.max_passes;
}

}  // namespace quasar
