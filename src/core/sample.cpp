#include <algorithm>
#include <chrono>
#include <memory>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/runner.hpp>
#include <quasar/sample.hpp>

#include "core/blas_threads.hpp"
#include "core/recorder.hpp"

namespace quasar {
namespace {

void check(const SampleOptions& options, std::size_t progress) {
  const auto chains = static_cast<std::size_t>(std::max(options.chains, 0));
  const Schedule& schedule = options.schedule;
  if (chains == 0) throw UsageError("at least one chain is needed");
  if (schedule.warmup < 0 || schedule.draws < 0 || schedule.thin < 1) throw UsageError("the schedule is not possible");
  if (!options.initial.empty() && options.initial.size() != chains) throw UsageError("one initial point per chain");
  if (progress != 0 && progress != chains) throw UsageError("one progress entry per chain");
}

std::vector<std::unique_ptr<Chain>> make_chains(const Target& target, const SamplerEntry& sampler,
                                                const Config& parameters, const SampleOptions& options) {
  std::vector<std::unique_ptr<Chain>> chains;
  for (int i = 0; i < options.chains; ++i) {
    ChainSpec spec{options.schedule, options.seed, i, options.save_warmup, {}};
    if (!options.initial.empty()) spec.initial = options.initial[static_cast<std::size_t>(i)];
    chains.push_back(sampler.make(target.fork(), parameters, spec));
  }
  return chains;
}

void collect(std::vector<Recorder>& recorders, bool keep_warmup, RunData& run) {
  for (Recorder& recorder : recorders) {
    run.info.gradient_evaluations += recorder.gradient_evaluations;
    run.info.divergences += recorder.divergences_after_warmup;
    run.info.warmup_seconds = std::max(run.info.warmup_seconds, recorder.warmup_seconds);
    run.sampling.push_back(std::move(recorder.sampling));
    if (keep_warmup) run.warmup.push_back(std::move(recorder.warmup));
    std::move(recorder.divergences.begin(), recorder.divergences.end(), std::back_inserter(run.divergences));
  }
}

}  // namespace

RunData sample(const Target& target, const SamplerEntry& sampler, const Config& parameters,
               const SampleOptions& options, std::span<ChainProgress> progress, std::stop_token stop) {
  const SingleThreadedBlas pinned;  // making a chain evaluates its first point
  check(options, progress.size());
  check_layout(target.layout());
  const Selection selection = select_variables(target.layout(), options.variables);
  const auto chains = make_chains(target, sampler, parameters, options);

  std::vector<Recorder> recorders;
  std::vector<Sink*> sinks;
  recorders.reserve(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    recorders.emplace_back(options.schedule, selection.elements, progress.empty() ? nullptr : &progress[i]);
    sinks.push_back(&recorders.back());
  }
  const auto began = std::chrono::steady_clock::now();
  const bool complete = run_chains(chains, sinks, options.threads, stop);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;

  RunData run;
  run.layout = selection.layout;
  run.stats = chains.front()->stats();
  run.info.sampler = sampler.name;
  run.info.seed = options.seed;
  run.info.schedule = options.schedule;
  run.info.stopped_early = !complete;
  collect(recorders, options.save_warmup, run);
  run.info.sampling_seconds = std::max(0.0, seconds.count() - run.info.warmup_seconds);
  return run;
}

}  // namespace quasar
