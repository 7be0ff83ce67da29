#include "io/durable_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <optional>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/chains.hpp"
#include "core/recorder.hpp"
#include "core/sink_pair.hpp"
#include "io/join.hpp"
#include "io/moments_group.hpp"
#include "io/part_folder.hpp"
#include "io/record_file.hpp"
#include "io/run_file.hpp"
#include "predict/held_out.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

// One chain's draws, divergences and scores of predictions in files of records.
class RecordStorage final : public DrawStorage {
 public:
  RecordStorage(const PartFolder& folder, int chain, const RunDescription& run, std::uint64_t id)
      : draws_(folder.draws(chain), record_owner(id, chain, "draws"),
               draw_prefix + run.header.layout.size() + std::ssize(run.header.stats)),
        divergences_(folder.divergences(chain), record_owner(id, chain, "divergences"), divergence_prefix + run.dim) {
    if (run.predicts()) trace_.emplace(folder.trace(chain), record_owner(id, chain, "trace"), TraceEntry::size);
  }

  void require(const Checkpoint& checkpoint) const {
    draws_.require(checkpoint.draws);
    divergences_.require(checkpoint.divergences);
    if (trace_) trace_->require(checkpoint.trace);
  }
  void restart(const Checkpoint& checkpoint) {
    draws_.restart(checkpoint.draws);
    divergences_.restart(checkpoint.divergences);
    if (trace_) trace_->restart(checkpoint.trace);
  }
  void flush() {
    draws_.flush();
    divergences_.flush();
    if (trace_) trace_->flush();
  }
  void sync() {
    draws_.sync();
    divergences_.sync();
    if (trace_) trace_->sync();
  }
  Index draws() const { return draws_.records(); }
  Index divergences() const { return divergences_.records(); }
  Index trace() const { return trace_ ? trace_->records() : 0; }

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
  void add_entry(const TraceEntry& entry) {
    record_.clear();
    TraceEntry::fields(entry, [&](std::string_view, double number) { record_.push_back(number); });
    trace_->append(record_);
  }

 private:
  RecordWriter draws_, divergences_;
  std::optional<RecordWriter> trace_;
  std::vector<double> record_;
};

void require_same(const RunInfo& there, const RunInfo& here, const fs::path& where) {
  const auto found = differences(there, here);
  if (found.empty()) return;
  throw UsageError(
      fmt::format("{} cannot be resumed: {}. Resume it as it was begun, or start anew with --overwrite alone",
                  where.string(), join(found, "; ")));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

RunInfo of_this_version(RunInfo info) {
  if (info.quasar_version.empty()) info.quasar_version = QUASAR_VERSION;
  return info;
}

// What the file says of itself if it is of the wanted run, finished or not. Nothing: it is not, or is no run file.
std::optional<RunInfo> file_of(const RunInfo& wanted, const fs::path& out) {
  try {
    RunInfo there = open_run_file(out).info;
    if (differences(there, wanted).empty()) return there;
  } catch (const DataError&) {  // whoever wants to know what is wrong with it opens it
  }
  return std::nullopt;
}

RunDescription describe(const SamplingJob& job, const Selection& selection, const Chain& chain,
                        const Durability& durability) {
  RunDescription run;
  run.header.info = job.info;
  run.header.info.sampler = job.sampler.name;
  run.header.info.seed = job.options.seed;
  run.header.info.schedule = job.options.schedule;
  run.header.info.members = chain.members();
  if (job.options.keep != Keep::moments) run.header.layout = selection.layout;
  if (job.options.keep != Keep::all) run.header.moments.layout = selection.layout;
  run.header.info.stored_every = storage_stride(job.options.schedule, job.options.keep);
  if (job.held_out) run.held_out = HeldOutRows(*job.held_out);
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
        folder_(PartFolder::beside(durability.out)),
        selection_(select_variables(job.target.layout(), job.options.variables)),
        chains_(make_chains(job.target, job.sampler, job.parameters, job.options)) {
    allow_open_files(std::int64_t{3} * job.options.chains);
    folder_.occupy();
    folder_.remove_temporaries();
    const bool resumed = durability.resume && folder_.holds_run();
    if (!resumed) folder_.clear();
    description_ = resumed ? folder_.description() : describe(job, selection_, *chains_.front(), durability);
    require_same(description_.header.info, job.info, folder_.path());
    id_ = identity(description_);
    std::vector<Checkpoint> checkpoints;  // all are looked at before the first file is cut
    for (int i = 0; i < job.options.chains; ++i) {
      ChainProgress* shown = progress.empty() ? nullptr : &progress[static_cast<std::size_t>(i)];
      add_recorder(i, shown);
      checkpoints.push_back(is_there(folder_.state(i)) ? load(i) : Checkpoint{});
      if (shown) shown->resumed_at = shown->iterations = chain(i).iteration();
    }
    for (int i = 0; i < job.options.chains; ++i) storage(i).restart(checkpoints[static_cast<std::size_t>(i)]);
    if (!resumed) folder_.describe(description_);  // now the folder holds a run
  }

  bool run(std::stop_token stop) {
    std::vector<Sink*> sinks;
    std::vector<std::unique_ptr<SinkPair>> pairs;
    for (std::size_t i = 0; i < recorders_.size(); ++i) {
      sinks.push_back(recorders_[i].get());
      if (held_out_.empty()) continue;
      pairs.push_back(std::make_unique<SinkPair>(*recorders_[i], *held_out_[i]));
      sinks.back() = pairs.back().get();
    }
    const Checkpointing checkpointing{durability_.checkpoint_every,
                                      [this](std::size_t i) { save(static_cast<int>(i)); }};
    return run_chains(chains_, sinks, threads_for(job_.target, job_.options), std::move(stop), checkpointing);
  }

  void flush() noexcept {
    try {
      for (int i = 0; i < static_cast<int>(recorders_.size()); ++i) storage(i).flush();
    } catch (const std::exception&) {  // there is a greater error to tell of
    }
  }

  // Streams the records into the run file. false: there were no draws, only warm-up if that was saved.
  bool write(bool complete) {
    held_out_.clear();
    recorders_.clear();  // closes their files
    Run run = open_part(folder_.path());
    if (run.draws() == 0 && run.source->draws(Phase::warmup) == 0) return false;
    run.info.stopped_early = !complete;
    run.tuning = tuning_of(chains_);
    const bool replace = durability_.overwrite || description_.replace || file_of(job_.info, durability_.out);
    write_run(AtomicFile(durability_.out, folder_.path()), run, *run.source,
              replace ? IfExists::replace : IfExists::fail, job_.fitted);
    return run.draws() > 0;
  }

  void remove_records() { folder_.remove(); }
  const fs::path& folder() const { return folder_.path(); }

 private:
  Chain& chain(int i) { return *chains_[static_cast<std::size_t>(i)]; }
  Recorder& recorder(int i) { return *recorders_[static_cast<std::size_t>(i)]; }
  RecordStorage& storage(int i) { return static_cast<RecordStorage&>(recorder(i).storage()); }

  void add_recorder(int i, ChainProgress* progress) {
    const Recording recording{job_.options.schedule, job_.options.keep, chain(i).members(), selection_.elements};
    recorders_.push_back(std::make_unique<Recorder>(
        recording, std::make_unique<RecordStorage>(folder_, i, description_, id_), progress));
    if (!job_.held_out) return;
    Recorder& recorder = *recorders_.back();
    const Rng rng(job_.options.seed, static_cast<std::uint64_t>(i));
    held_out_.push_back(std::make_unique<HeldOutSink>(
        job_.held_out->fork(), rng,
        HeldOutSink::Outside{[&recorder] { return recorder.seconds(); },
                             [this, i](const TraceEntry& entry) { storage(i).add_entry(entry); }}));
  }

  // What a checkpoint holds beside its counts, in order: a visitor saves or loads it.
  void fields(int i, auto& visit) {
    for (RunningMoments& member : recorder(i).moments()) visit("moments", member);
    if (!held_out_.empty()) visit("held_out", *held_out_[static_cast<std::size_t>(i)]);
  }

  // Records first, then the state that counts on them.
  void save(int i) {
    storage(i).sync();
    const Checkpoint checkpoint{
        id_, i, recorder(i).counts(), storage(i).draws(), storage(i).divergences(), storage(i).trace()};
    write_state(folder_.state(i), checkpoint, [&](Writer& out) {
      fields(i, out);
      chain(i).save(out);
    });
  }

  Checkpoint load(int i) {
    const SavedChain saved = read_state(folder_.state(i), id_, i);
    Reader in(saved.bytes);
    explain_in(folder_.state(i), [&] {
      fields(i, in);
      chain(i).load(in);
      if (!in.at_end()) throw DataError("saved state has more than a chain needs");
    });
    recorder(i).go_on_from(saved.checkpoint.counts);
    storage(i).require(saved.checkpoint);
    return saved.checkpoint;
  }

  const SamplingJob& job_;
  const Durability& durability_;
  PartFolder folder_;
  Selection selection_;
  std::vector<std::unique_ptr<Chain>> chains_;
  RunDescription description_;
  std::uint64_t id_ = 0;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::vector<std::unique_ptr<HeldOutSink>> held_out_;  // one per chain; empty: nothing is predicted
};

}  // namespace

void check_output(const Durability& durability) {
  const PartFolder folder = PartFolder::beside(durability.out);
  if (!durability.overwrite && !durability.resume) {
    if (folder.holds_run()) {
      throw UsageError(fmt::format("{} holds an unfinished run; --resume goes on with it, --overwrite discards it",
                                   folder.path().string()));
    }
    if (is_there(durability.out) && !is_folder(durability.out)) {
      throw UsageError(
          fmt::format("{} exists; --overwrite replaces it, --out names another file", durability.out.string()));
    }
  }
  check_writable(durability.out);
}

bool already_finished(const Durability& durability, RunInfo wanted) {
  if (!durability.resume) return false;
  wanted = of_this_version(std::move(wanted));
  PartFolder folder = PartFolder::beside(durability.out);
  const bool unfinished = folder.holds_run();
  bool replace = durability.overwrite;
  if (unfinished) {
    const RunDescription description = folder.description();
    require_same(description.header.info, wanted, folder.path());
    replace = replace || description.replace;
  }
  if (!is_there(durability.out)) return false;
  const std::optional<RunInfo> there = file_of(wanted, durability.out);
  if (!there) {
    if (replace) return false;
    if (!unfinished) require_same(open_run_file(durability.out).info, wanted, durability.out);
    throw UsageError(
        fmt::format("{} is not of the run in {}: move it away, or add --overwrite to replace it at the end",
                    durability.out.string(), folder.path().string()));
  }
  if (there->stopped_early) return false;
  if (is_there(folder.path())) {  // killed between putting the file in place and tidying up
    folder.occupy();
    folder.remove();
  }
  return true;
}

RunEnd sample_durably(const SamplingJob& job, const Durability& durability, std::span<ChainProgress> progress,
                      std::stop_token stop) {
  const SingleThreadedBlas pinned;  // making a chain evaluates its first point
  SamplingJob stamped = job;
  stamped.info = of_this_version(job.info);
  check_options(job.options, progress.size());
  const Layout layout = select_variables(job.target.layout(), job.options.variables).layout;
  check_layout(layout);
  if (job.options.keep != Keep::all) check_moments(layout);
  DurableRun run(stamped, durability, progress);
  const auto failed = [&](std::string_view what) {
    run.flush();
    return RunError(
        fmt::format("{}. The draws until then are in {}, which quasar summary reads", what, run.folder().string()));
  };
  bool complete = false;
  try {
    complete = run.run(std::move(stop));
    if (!run.write(complete)) return RunEnd::stopped_in_warmup;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}. No draw is lost: when that is mended, --resume goes on with {}", error.what(),
                                run.folder().string()));
  } catch (const RunError& error) {
    throw failed(error.what());
  } catch (const std::bad_alloc&) {
    throw failed("out of memory: a smaller model or a diagonal metric need less");
  }
  if (complete) run.remove_records();
  return complete ? RunEnd::complete : RunEnd::stopped;
}

Run open_run(const fs::path& path) {
  const fs::path name = path.has_filename() ? path : path.parent_path();  // run.nc.part/ as shells complete it
  if (is_folder(name) && name.extension() == ".part") return open_part(name);
  const PartFolder folder = PartFolder::beside(name);
  if (is_there(name) || !folder.holds_run()) return open_run_file(name);
  try {
    return open_part(folder.path());
  } catch (const DataError&) {
    if (is_there(name)) return open_run_file(name);  // the run has just come to its end
    throw;
  }
}

}  // namespace quasar
