#include "io/durable_run.hpp"

#include <fmt/format.h>

#include <memory>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/chains.hpp"
#include "core/recorder.hpp"
#include "io/checked_file.hpp"
#include "io/join.hpp"
#include "io/part_folder.hpp"
#include "io/record_file.hpp"
#include "io/run_file.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

// One chain's draws and divergences in files of records.
class RecordStorage final : public DrawStorage {
 public:
  RecordStorage(const PartFolder& folder, int chain, const RunDescription& run)
      : draws_(folder.draws(chain), folder.run_id(),
               draw_prefix + run.header.layout.size() + std::ssize(run.header.stats)),
        divergences_(folder.divergences(chain), folder.run_id(), divergence_prefix + run.dim) {}

  void start() {
    draws_.restart(0);
    divergences_.restart(0);
  }
  void sync() {
    draws_.sync();
    divergences_.sync();
  }

  void add_draw(const Draw& draw) override {
    record_.assign({static_cast<double>(draw.iteration), double(draw.member), double(draw.warmup)});
    record_.insert(record_.end(), draw.values.begin(), draw.values.end());
    record_.insert(record_.end(), draw.stats.begin(), draw.stats.end());
    draws_.append(record_);
  }
  void add_divergence(const Divergence& divergence) override {
    record_.assign({static_cast<double>(divergence.iteration), double(divergence.warmup)});
    record_.insert(record_.end(), divergence.position.begin(), divergence.position.end());
    divergences_.append(record_);
  }

  void save(Writer& out) const override {
    out("draws", draws_.records());
    out("divergences", divergences_.records());
  }
  void load(Reader& in) override {
    Index draws = 0, divergences = 0;
    in("draws", draws);
    in("divergences", divergences);
    draws_.restart(draws);
    divergences_.restart(divergences);
  }

 private:
  RecordWriter draws_, divergences_;
  std::vector<double> record_;
};

void require_same(const RunInfo& there, const RunInfo& here, const fs::path& where) {
  const auto found = differences(there, here);
  if (found.empty()) return;
  throw UsageError(fmt::format("{} cannot be resumed: {}. Resume it as it was begun, or start anew with --overwrite",
                               where.string(), join(found, "; ")));
}

RunDescription describe(const SamplingJob& job, const Selection& selection, const Chain& chain,
                        const Durability& durability) {
  RunDescription run;
  run.header.info = job.info;
  run.header.info.sampler = job.sampler.name;
  run.header.info.seed = job.options.seed;
  run.header.info.schedule = job.options.schedule;
  run.header.info.members = chain.members();
  run.header.layout = selection.layout;
  run.header.stats = chain.stats();
  run.header.constants = job.target.constant_data();
  run.chains = job.options.chains;
  run.dim = job.target.dim();
  run.save_warmup = job.options.save_warmup;
  run.replace = durability.overwrite;
  return run;
}

// The chains of a run and what records them, in step with the folder.
class DurableRun {
 public:
  DurableRun(const SamplingJob& job, const Durability& durability, std::span<ChainProgress> progress)
      : job_(job),
        durability_(durability),
        folder_(durability.out),
        selection_(select_variables(job.target.layout(), job.options.variables)),
        chains_(make_chains(job.target, job.sampler, job.parameters, job.options)) {
    folder_.occupy();
    const bool resumed = durability.resume && folder_.holds_run();
    open_description(resumed);
    for (int i = 0; i < job.options.chains; ++i) {
      ChainProgress* shown = progress.empty() ? nullptr : &progress[static_cast<std::size_t>(i)];
      recorders_.push_back(std::make_unique<Recorder>(
          job.options.schedule, selection_.elements, std::make_unique<RecordStorage>(folder_, i, description_), shown));
      const bool saved = resumed && fs::exists(folder_.state(i));
      saved ? load(i) : storage(i).start();
      if (shown) shown->resumed_at = shown->iterations = chain(i).iteration();
    }
  }

  bool run(std::stop_token stop) {
    std::vector<Sink*> sinks;
    for (const auto& recorder : recorders_) sinks.push_back(recorder.get());
    const Checkpointing checkpointing{durability_.checkpoint_every,
                                      [this](std::size_t i) { save(static_cast<int>(i)); }};
    return run_chains(chains_, sinks, job_.options.threads, std::move(stop), checkpointing);
  }

  // Streams the records into the run file. false: there is nothing to put there.
  bool write(bool complete) {
    Run run = open_part(folder_.path());
    if (run.draws() == 0 && run.source->draws(Phase::warmup) == 0) return false;
    run.info.stopped_early = !complete;
    run.tuning = tuning_of(chains_);
    const bool replace = durability_.overwrite || description_.replace || is_earlier_part_of_this();
    write_run(AtomicFile(durability_.out, folder_.path()), run, *run.source,
              replace ? IfExists::replace : IfExists::fail);
    return run.draws() > 0;
  }

  void remove_records() { folder_.remove(); }
  const fs::path& folder() const { return folder_.path(); }

 private:
  Chain& chain(int i) { return *chains_[static_cast<std::size_t>(i)]; }
  Recorder& recorder(int i) { return *recorders_[static_cast<std::size_t>(i)]; }
  RecordStorage& storage(int i) { return static_cast<RecordStorage&>(recorder(i).storage()); }

  void open_description(bool resumed) {
    if (resumed) {
      description_ = folder_.description();
      require_same(description_.header.info, job_.info, folder_.path());
    } else {
      folder_.clear();
      description_ = describe(job_, selection_, *chains_.front(), durability_);
      folder_.describe(description_);
    }
  }

  // Records first, then the state that counts on them.
  void save(int i) {
    storage(i).sync();
    Writer out;
    recorder(i).save(out);
    chain(i).save(out);
    write_checked_file(folder_.state(i), "state", out.bytes());
  }

  void load(int i) {
    const std::string bytes = read_checked_file(folder_.state(i), "state");
    try {
      Reader in(bytes);
      recorder(i).load(in);
      chain(i).load(in);
      if (!in.at_end()) throw DataError("saved state has more than a chain needs");
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: {}", folder_.state(i).string(), error.what()));
    }
  }

  // Resuming a run that was stopped before replaces the file it left then.
  bool is_earlier_part_of_this() const {
    std::error_code ignored;
    if (!fs::exists(durability_.out, ignored)) return false;
    const RunInfo there = open_run_file(durability_.out).info;
    return differences(there, job_.info).empty();
  }

  const SamplingJob& job_;
  const Durability& durability_;
  PartFolder folder_;
  Selection selection_;
  std::vector<std::unique_ptr<Chain>> chains_;
  RunDescription description_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

}  // namespace

void check_output(const Durability& durability) {
  const PartFolder folder(durability.out);
  std::error_code ignored;
  if (!durability.overwrite && !durability.resume) {
    const std::string out = durability.out.string();
    if (folder.holds_run()) {
      throw UsageError(fmt::format("{} holds an unfinished run; --resume goes on with it, --overwrite discards it",
                                   folder.path().string()));
    }
    if (fs::exists(durability.out, ignored)) {
      throw UsageError(fmt::format("{} exists; --overwrite replaces it, --out names another file", out));
    }
  }
  check_writable(durability.out);
}

bool already_finished(const Durability& durability, const RunInfo& wanted) {
  std::error_code ignored;
  if (!durability.resume || !fs::exists(durability.out, ignored)) return false;
  PartFolder folder(durability.out);
  if (folder.holds_run() && folder.description().replace) return false;  // it may be about to replace another run
  const RunInfo there = open_run_file(durability.out).info;
  require_same(there, wanted, durability.out);
  if (there.stopped_early) return false;
  if (!fs::exists(folder.path(), ignored)) return true;
  folder.occupy();  // killed between putting the file in place and tidying up
  folder.remove();
  return true;
}

RunEnd sample_durably(const SamplingJob& job, const Durability& durability, std::span<ChainProgress> progress,
                      std::stop_token stop) {
  const SingleThreadedBlas pinned;  // making a chain evaluates its first point
  check_options(job.options, progress.size());
  check_layout(job.target.layout());
  DurableRun run(job, durability, progress);
  bool complete = false;
  try {
    complete = run.run(std::move(stop));
    if (!run.write(complete)) return RunEnd::stopped_without_draws;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}. Every draw is kept in {}: mend the cause, then --resume goes on", error.what(),
                                run.folder().string()));
  } catch (const RunError& error) {
    throw RunError(fmt::format("{}. The draws until then are in {}, which quasar summary reads", error.what(),
                               run.folder().string()));
  }
  if (complete) run.remove_records();
  return complete ? RunEnd::complete : RunEnd::stopped;
}

Run open_run(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && path.extension() == ".part") return open_part(path);
  const PartFolder folder(path);
  if (!fs::exists(path, ignored) && folder.holds_run()) return open_part(folder.path());
  return open_run_file(path);
}

}  // namespace quasar
