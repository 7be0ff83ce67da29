// Where a chain starts.
#pragma once

#include <quasar/chain.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct InitialPoint {
  Vec x;
  std::int64_t grad_evals;
};

// The point that the spec gives, or one that the target draws, with up to 100 tries until density and gradient are
// finite. RunError otherwise.
InitialPoint find_initial_point(Target& target, const ChainSpec& spec, const Rng& rng);

}  // namespace quasar
