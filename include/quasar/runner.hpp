// quasar/runner.hpp -- chains on threads.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include <quasar/chain.hpp>

namespace quasar {

// Cores this process may use.
int available_threads();

// Runs every chain to the end of its schedule on a pool of threads (0: one per core), each with its own sink. The draws
// depend on names alone, so they are the same for any number of threads. A request to stop ends every chain after the
// iteration under way. An error in one chain stops the others and is thrown here. Returns false when stopped early.
bool run_chains(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, int threads,
                std::stop_token stop);

}  // namespace quasar
