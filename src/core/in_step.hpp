// Chains that all ranks run together, each rank its part of every iteration.
//
// The ranks run the same chains in the same order by the same slices: what depends on a clock or on a signal (how long
// a slice is, whether to save or to stop) is agreed on by one small sum before each slice. So whoever waits for another
// rank finds it at the same place. The same sum before each save and at the end shows that all have drawn the same.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/exchange.hpp>
#include <quasar/runner.hpp>

namespace quasar {

struct RankTimes {  // seconds of one rank
  WorkTimes work;
  double total = 0;
  double other() const { return total - work.gradient - work.noise - work.communication - work.waiting; }
};

struct RunInStep {
  bool complete = false;         // false: stopped early
  std::vector<RankTimes> times;  // by rank, on every rank
};

// As run_chains, on the calling thread. `checkpointing.save(i)` is called on every rank at the same iteration of chain
// i. A stop request of any rank stops all. An error, also that the ranks are no longer at the same place, leaves the
// exchange broken: the other ranks may wait for this one.
RunInStep run_in_step(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, Exchange& exchange,
                      std::stop_token stop, const Checkpointing& checkpointing = {});

}  // namespace quasar
