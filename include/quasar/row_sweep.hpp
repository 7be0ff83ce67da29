// quasar/row_sweep.hpp -- targets that can draw all they have by Gibbs steps.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct SweepSettings {
  double temperature = 1;  // 0: conditional means instead of draws, an optimiser
  int threads = 1;         // the draws do not depend on it
};

// A target (it derives from this beside Target) that draws every coordinate which is in none of its conditionals()
// exactly, block after block given all others. The chain draws the conditionals after it.
struct RowSweep {
  virtual ~RowSweep() = default;
  virtual void sweep(Vec& x, const SweepSettings& settings, const Rng& rng) = 0;
  // false: some coordinates are discrete, and logp_grad throws a UsageError. Nothing but sweeps at temperature 1 moves
  // such a target, and it can start wherever draw_start says.
  virtual bool has_density() const { return true; }
};

inline bool has_density(const Target& target) {
  const auto* sweep = dynamic_cast<const RowSweep*>(&target);
  return !sweep || sweep->has_density();
}

}  // namespace quasar
