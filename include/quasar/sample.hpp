// quasar/sample.hpp -- chains of one sampler on one target, from start to draws in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/registry.hpp>
#include <quasar/run_data.hpp>

namespace quasar {

struct SampleOptions {
  int chains = 4;
  Schedule schedule = {};
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
  bool save_warmup = false;
  Keep keep = Keep::all;
  std::vector<std::string> variables = {};  // empty: all
  std::vector<Vec> initial = {};            // one per chain; empty: random
  Exchange* exchange = nullptr;             // between ranks that run every chain together; null: one process
};

struct ChainProgress {  // written by the chain, read by whoever displays it
  std::atomic<std::int64_t> iterations = 0, divergences = 0;
  std::atomic<std::int64_t> resumed_at = 0;  // iterations that an earlier process has made
  std::atomic<double> step_size = std::numeric_limits<double>::quiet_NaN();
};

// The target is forked once per chain. `progress`, where given, has one entry per chain. A stop request returns what
// was drawn until then, marked as stopped early.
RunData sample(const Target& target, const SamplerEntry& sampler, const Config& parameters,
               const SampleOptions& options, std::span<ChainProgress> progress = {}, std::stop_token stop = {});

}  // namespace quasar
