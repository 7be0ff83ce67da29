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
};

}  // namespace quasar
