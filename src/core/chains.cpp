#include "core/chains.hpp"

#include <algorithm>

#include <quasar/errors.hpp>
#include <quasar/row_sweep.hpp>

namespace quasar {
namespace {

// A target that only sweeps can move says so itself, before a sampler makes room for metrics it will never use.
// Samplers of the family gibbs are those that sweep; whether a target can be swept by this one, they find out.
void require_density(const Target& target, const SamplerEntry& sampler) {
  if (has_density(target) || sampler.family == "gibbs") return;
  Vec grad(target.dim());
  target.fork()->logp_grad(Vec::Zero(target.dim()), grad);
  throw UsageError("this model has no density: only a sampler of the family gibbs can move it");
}

}  // namespace

void check_options(const SampleOptions& options, std::size_t progress_entries) {
  const auto chains = static_cast<std::size_t>(std::max(options.chains, 0));
  const Schedule& schedule = options.schedule;
  if (chains == 0) throw UsageError("at least one chain is needed");
  if (schedule.warmup < 0 || schedule.draws < 0 || schedule.thin < 1) throw UsageError("the schedule is not possible");
  if (!options.initial.empty() && options.initial.size() != chains) throw UsageError("one initial point per chain");
  if (progress_entries != 0 && progress_entries != chains) throw UsageError("one progress entry per chain");
}

std::vector<std::unique_ptr<Chain>> make_chains(const Target& target, const SamplerEntry& sampler,
                                                const Config& parameters, const SampleOptions& options,
                                                const DealtTo& dealt) {
  require_density(target, sampler);
  std::vector<std::unique_ptr<Chain>> chains(static_cast<std::size_t>(options.chains));
  for (int i = 0; i < options.chains; ++i) {
    if (!dealt.has(i)) continue;
    ChainSpec spec{options.schedule, options.seed, i, options.save_warmup, {}, options.exchange};
    if (!options.initial.empty()) spec.initial = options.initial[static_cast<std::size_t>(i)];
    chains[static_cast<std::size_t>(i)] = sampler.make(target.fork(), parameters, spec);
  }
  return chains;
}

int threads_for(const Target& target, const SampleOptions& options) {
  switch (target.threads()) {
    case Threads::one:
      return 1;
    case Threads::per_chain:
      return options.chains;
    case Threads::any:
      break;
  }
  return options.threads;
}

std::vector<Tuning> tuning_of(const std::vector<std::unique_ptr<Chain>>& chains) {
  std::vector<Tuning> all;
  for (const auto& chain : chains) all.push_back(chain->tuning());
  return all;
}

}  // namespace quasar
