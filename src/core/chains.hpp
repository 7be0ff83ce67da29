// From options to chains that are ready to run.
#pragma once

#include <memory>
#include <vector>

#include <quasar/sample.hpp>

namespace quasar {

void check_options(const SampleOptions& options, std::size_t progress_entries);  // UsageError

struct DealtTo {  // chain i is of rank i mod ranks
  int rank = 0, ranks = 1;
  bool has(int chain) const { return chain % ranks == rank; }
};

// Null where a chain is another rank's.
std::vector<std::unique_ptr<Chain>> make_chains(const Target& target, const SamplerEntry& sampler,
                                                const Config& parameters, const SampleOptions& options,
                                                const DealtTo& dealt = {});

// How many threads run them: as many as asked for, where the target does not say otherwise.
int threads_for(const Target& target, const SampleOptions& options);

std::vector<Tuning> tuning_of(const std::vector<std::unique_ptr<Chain>>& chains);

}  // namespace quasar
