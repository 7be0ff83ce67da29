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
void append(std::vector<T>& from, std::vector<T>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void collect(std::vector<Recorder>& recorders, bool keep_warmup, RunData& run) {
  std::vector<StepCounts> counts;
  for (Recorder& recorder : recorders) {
    auto& kept = static_cast<MemoryStorage&>(recorder.storage());
    counts.push_back(recorder.counts());
    append(kept.sampling, run.sampling);
    if (keep_warmup) append(kept.warmup, run.warmup);
    append(kept.divergences, run.divergences);
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
    recorders.emplace_back(options.schedule, selection.elements, std::make_unique<MemoryStorage>(chains[i]->members()),
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
  run.info.members = chains.front()->members();
  run.info.stopped_early = !complete;
  collect(recorders, options.save_warmup, run);
  return run;
}

}  // namespace quasar
