// quasar/runner.hpp -- chains on threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>

#include <quasar/chain.hpp>

namespace quasar {

// Cores this process may use.
int available_threads();

// What makes a run survive its process. `save(i)` puts chain i and its sink on disk, from the thread that runs the
// chain; at regular times, and when the chain ends.
struct Checkpointing {
  std::int64_t every = 0;                      // iterations; 0: about every ten seconds
  std::function<void(std::size_t)> save = {};  // empty: no checkpoints
};

// Runs every chain to the end of its schedule on a pool of threads (0: one per core), each with its own sink; a null
// chain is run elsewhere. The draws depend on names alone, so they are the same for any number of threads. A request to
// stop ends every chain after the iteration under way. An error in one chain stops the others and is thrown here: a
// DataError (a disk that is full) as it is, any other as a RunError that names the chain and the iteration. Returns
// false when stopped early.
bool run_chains(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, int threads,
                std::stop_token stop, const Checkpointing& checkpointing = {});

}  // namespace quasar
