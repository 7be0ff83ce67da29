#include <memory>

#include <quasar/layout.hpp>
#include <quasar/runner.hpp>
#include <quasar/sample.hpp>

#include "core/blas_threads.hpp"
#include "core/chains.hpp"
#include "core/recorder.hpp"

namespace quasar {
namespace {

template <class T>
void append_all(std::vector<T>& from, std::vector<T>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void collect(std::vector<Recorder>& recorders, bool keep_warmup, RunData& run) {
  std::vector<StepCounts> counts;
  for (Recorder& recorder : recorders) {
    auto& kept = static_cast<MemoryStorage&>(recorder.storage());
    counts.push_back(recorder.counts());
    append_all(kept.sampling, run.sampling);
    if (keep_warmup) append_all(kept.warmup, run.warmup);
    append_all(kept.divergences, run.divergences);
    for (const RunningMoments& moments : recorder.moments()) run.moments.chains.push_back(result_of(moments));
  }
  add_counts(counts, run.info);
}

}  // namespace

RunData sample(const Target& target, const SamplerEntry& sampler, const Config& parameters,
               const SampleOptions& options, std::span<ChainProgress> progress, std::stop_token stop) {
  const SingleThreadedBlas pinned;  // making a chain evaluates its first point
  check_options(options, progress.size());
  const Selection selection = select_variables(target.layout(), options.variables);
  check_layout(selection.layout);
  const auto chains = make_chains(target, sampler, parameters, options);

  std::vector<Recorder> recorders;
  std::vector<Sink*> sinks;
  recorders.reserve(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    recorders.emplace_back(Recording{options.schedule, options.keep, chains[i]->members(), selection},
                           std::make_unique<MemoryStorage>(chains[i]->members()),
                           progress.empty() ? nullptr : &progress[i]);
    sinks.push_back(&recorders.back());
  }
  const bool complete = run_chains(chains, sinks, threads_for(target, options), stop);

  RunData run;
  if (options.keep != Keep::moments) run.layout = selection.layout;
  if (options.keep != Keep::all) run.moments.layout = selection.layout;
  run.stats = chains.front()->stats();
  run.constants = target.constant_data();
  run.tuning = tuning_of(chains);
  run.info.sampler = sampler.name;
  run.info.seed = options.seed;
  run.info.schedule = options.schedule;
  run.info.stored_every = storage_stride(options.schedule, options.keep);
  run.info.members = chains.front()->members();
  run.info.stopped_early = !complete;
  collect(recorders, options.save_warmup, run);
  return run;
}

}  // namespace quasar
