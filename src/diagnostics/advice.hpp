// Advice in the words of the command line: only options that the run's own sampler and model have.
#pragma once

#include <string>

#include "diagnostics/problems.hpp"

namespace quasar::diagnostics {

// "a, b or c": alternatives that do not apply are empty and left out.
std::string one_of(const std::vector<std::string>& alternatives);

std::string noncentered(const RunFacts& run);  // empty: the model does not offer it
std::string rewritten(const RunFacts& run);    // empty: the model offers noncentered
std::string smaller_steps(const RunFacts& run);
std::string learned_steps(const RunFacts& run);  // empty: they are, or cannot be
std::string better_metric(const RunFacts& run);  // empty: none is known to help
std::string deeper_trees(const RunFacts& run);
std::string better_solver(const RunFacts& run);   // empty: there is none, or it is in use
std::string better_sampler(const RunFacts& run);  // empty: it is the best there is
std::string longer_warmup(const RunFacts& run);
std::string more_draws(const RunFacts& run, double factor);  // of a run that is not complete: the rest of them
std::string enough_draws(const RunFacts& run);               // for a run that has hardly any

bool learns_step_size(const RunFacts& run);

}  // namespace quasar::diagnostics
