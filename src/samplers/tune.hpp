// Step size and batch size of a stochastic-gradient sampler, chosen by successive halving (Jamieson and Talwalkar 2016)
// on the kernel Stein discrepancy: many settings run for a little while, the better third goes on three times as long,
// until two or three are left. No draw of the truth is needed, and most of the work goes to settings that deserve it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/registry.hpp>

#include "samplers/stochastic.hpp"

namespace quasar {

struct Trial {
  double step_size;
  std::int64_t batch_size;  // 0: the model has no batches
  double ksd;               // at the end of its run; infinite: the chain diverged
  double passes = 0;        // over the data, for the chain and for its discrepancy
  std::int64_t iterations = 0;
};

struct TuneOptions {
  std::uint64_t seed = 1;
  double passes = 2000;                    // over the data, for each of the settings that come through to the end
  std::vector<double> steps = {};          // empty: twelve around the step that the sampler would take by itself
  std::vector<std::int64_t> batches = {};  // empty: five from a hundredth of the data to all of it
  bool halve = true;                       // false: every setting runs to the end, which is what halving saves
  std::function<void(const std::vector<Trial>& still_in)> on_rung = [](const std::vector<Trial>&) {};
};

struct Tuned {
  Trial best;
  std::vector<Trial> trials;  // all, best first
  double passes;              // all in all
  LocalScale local;           // where the trials started
};

// Of a sampler with these settings; those of step_size and batch_size that are not 0 are kept. UsageError: not a
// stochastic-gradient sampler, or nothing is left to choose. RunError: every setting diverges.
Tuned tune(const Target& target, const SamplerEntry& sampler, const Settings& settings,
           const TuneOptions& options = {});

}  // namespace quasar
