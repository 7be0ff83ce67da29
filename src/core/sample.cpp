#include <memory>

#include <quasar/layout.hpp>
#include <quasar/runner.hpp>
#include <quasar/sample.hpp>

#include "core/blas_threads.hpp"
#include "core/chains.hpp"
#include "core/recorder.hpp"

namespace quasar {
namespace {

void collect(std::vector<Recorder>& recorders, bool keep_warmup, RunData& run) {
  std::vector<StepCounts> counts;
  for (Recorder& recorder : recorders) {
    auto& kept = static_cast<MemoryStorage&>(recorder.storage());
    counts.push_back(recorder.counts());
    run.sampling.push_back(std::move(kept.sampling));
    if (keep_warmup) run.warmup.push_back(std::move(kept.warmup));
    std::move(kept.divergences.begin(), kept.divergences.end(), std::back_inserter(run.divergences));
  }
  add_counts(counts, run.info);
}

}  // namespace

RunData sample(const Target& target, const SamplerEntry& sampler, const Config& parameters,
               const SampleOptions& options, std::span<ChainProgress> progress, std::stop_token stop) {
  const SingleThreadedBlas pinned;  // making a chain evaluates its first point
  check_options(options, progress.size());
  check_layout(target.layout());
  const Selection selection = select_variables(target.layout(), options.variables);
  const auto chains = make_chains(target, sampler, parameters, options);

  std::vector<Recorder> recorders;
  std::vector<Sink*> sinks;
  recorders.reserve(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    recorders.emplace_back(options.schedule, selection.elements, std::make_unique<MemoryStorage>(),
                           progress.empty() ? nullptr : &progress[i]);
    sinks.push_back(&recorders.back());
  }
  const bool complete = run_chains(chains, sinks, options.threads, stop);

  RunData run;
  run.layout = selection.layout;
  run.stats = chains.front()->stats();
  run.constants = target.constant_data();
  run.tuning = tuning_of(chains);
  run.info.sampler = sampler.name;
  run.info.seed = options.seed;
  run.info.schedule = options.schedule;
  run.info.stopped_early = !complete;
  collect(recorders, options.save_warmup, run);
  return run;
}

}  // namespace quasar
