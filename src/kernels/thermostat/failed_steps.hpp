// Steps that could not be made, where there is no Metropolis test to reject them: the chain stays and turns round. One
// that does so for ever has no law, and nothing else would tell.
#pragma once

#include <cstdint>

namespace quasar {

inline constexpr std::int64_t most_idle_iterations = 100;  // in a row, until a chain is given up

struct FailedSteps {
  std::int64_t count = 0;  // of this iteration
  std::int64_t idle = 0;   // iterations in a row of which no step could be made

  // At the end of an iteration of `steps` steps: how many of them failed. Diverged: too many iterations were idle.
  std::int64_t close(std::int64_t steps, double step_size);
  static void fields(auto& self, auto&& visit) { visit("idle", self.idle); }
};

}  // namespace quasar
