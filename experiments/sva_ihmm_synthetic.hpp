// The comparison of Figure 2.2 at any size.
#pragma once

#include <vector>

#include <quasar/core.hpp>
#include <quasar/experiment.hpp>

namespace quasar {

struct StateComparison {
  std::vector<Index> states;  // K, one sequence each
  int samples;                // of the beam sampler
  int sequences;              // further ones, on which the asymp-iHMM alone is held against the true parameters
};

ExperimentResult compare_on_states(const StateComparison& size, const ExperimentOptions& options);

}  // namespace quasar
