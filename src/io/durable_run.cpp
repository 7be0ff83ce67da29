#include "io/durable_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/chains.hpp"
#include "core/rank_watch.hpp"
#include "core/recorder.hpp"
#include "core/sink_pair.hpp"
#include "core/together.hpp"
#include "io/join.hpp"
#include "io/moments_group.hpp"
#include "io/part_folder.hpp"
#include "io/record_storage.hpp"
#include "io/run_file.hpp"
#include "predict/held_out.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

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

void require_not_read(const fs::path& written, std::span<const std::string> inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (!fs::equivalent(written, input, ignored)) continue;
    throw UsageError(fmt::format("{} is read; --out names another file", written.string()));
  }
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

RunDescription description_of(const SamplingJob& job, const Selection& selection, const Chain& chain,
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
  if (job.held_out) run.held_out = HeldOutRows(*job.held_out, job.held_out_numbers);
  run.header.stats = chain.stats();
  run.header.constants = job.target.constant_data();
  run.chains = job.options.chains;
  run.dim = job.target.dim();
  run.save_warmup = job.options.save_warmup;
  run.replace = durability.overwrite;
  return run;
}

// The ranks of a job, and what each of them does.
class Crew {
 public:
  explicit Crew(const SamplingJob& job)
      : together_(job.options.exchange != nullptr),
        exchange_(job.options.exchange ? *job.options.exchange
                  : job.dealt_over     ? *job.dealt_over
                                       : alone_) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  Exchange& exchange() { return exchange_; }
  bool leads() const { return exchange_.rank() == 0; }
  bool in_step() const { return together_; }
  bool dealt() const { return !together_ && exchange_.size() > 1; }
  DealtTo share() const { return together_ ? DealtTo{} : DealtTo{exchange_.rank(), exchange_.size()}; }
  bool runs(int chain) const { return share().has(chain); }
  bool records(int chain) const { return together_ ? leads() : runs(chain); }

 private:
  bool together_;
  OneProcess alone_;
  Exchange& exchange_;
};

struct NoSink final : Sink {
  void on_draw(const Draw&) override {}
};

// The chains of a run and what records them, in step with the folder. Every rank has one, and calls the same.
class DurableRun {
 public:
  DurableRun(const SamplingJob& job, const Durability& durability, std::span<ChainProgress> progress)
      : job_(job),
        durability_(durability),
        progress_(progress),
        crew_(job),
        folder_(PartFolder::beside(durability.out)) {
    all_do([this] { make(); });
    open();
  }

  bool run(std::stop_token stop) {
    std::vector<std::unique_ptr<SinkPair>> pairs;
    const std::vector<Sink*> sinks = make_sinks(pairs);
    const Checkpointing checkpointing{durability_.checkpoint_every,
                                      [this](std::size_t i) { save(static_cast<int>(i)); }};
    if (crew_.in_step()) {
      RunInStep result = run_in_step(chains_, sinks, crew_.exchange(), std::move(stop), checkpointing);
      if (job_.times) *job_.times = std::move(result.times);
      return result.complete;
    }
    const int threads = threads_for(job_.target, job_.options);
    if (!crew_.dealt()) return run_chains(chains_, sinks, threads, std::move(stop), checkpointing);
    double unfinished = 0;
    together(crew_.exchange(), [&] {
      const RankWatch watch(crew_.exchange(), progress_, std::move(stop));
      if (!run_chains(chains_, sinks, threads, watch.stop(), checkpointing)) unfinished = 1;
    });
    crew_.exchange().sum({&unfinished, 1});
    return unfinished == 0;
  }

  void flush() noexcept {
    try {
      for (std::size_t i = 0; i < recorders_.size(); ++i) {
        if (recorders_[i]) storage(static_cast<int>(i)).flush();
      }
    } catch (const std::exception&) {  // there is a greater error to tell of
    }
  }

  // Streams the records into the run file. false: there were no draws, only warm-up if that was saved.
  bool write(bool complete) {
    held_out_.clear();
    recorders_.clear();  // closes their files
    if (!crew_.leads()) folder_.leave();
    std::vector<Tuning> tuning = crew_.dealt() ? gather_tuning() : tuning_of(chains_);
    chains_.clear();  // and with them blocks of data that nothing else holds
    bool drawn = false;
    together(crew_.exchange(), [&] {
      if (crew_.leads()) drawn = write_file(complete, std::move(tuning));
    });
    return of_rank_0(crew_.exchange(), drawn);
  }

  void remove_records() {
    together(crew_.exchange(), [&] {
      if (crew_.leads()) folder_.remove();
    });
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  Chain& chain(int i) { return *chains_[static_cast<std::size_t>(i)]; }
  Recorder& recorder(int i) { return *recorders_[static_cast<std::size_t>(i)]; }
  RecordStorage& storage(int i) { return static_cast<RecordStorage&>(recorder(i).storage()); }

  // In step the others may wait for this rank while it acts.
  void all_do(const std::function<void()>& act) {
    if (crew_.in_step()) {
      in_step(crew_.exchange(), act);
    } else {
      together(crew_.exchange(), act);
    }
  }

  void make() {
    const SampleOptions& options = job_.options;
    check_options(options, progress_.size());
    selection_ = select_variables(job_.target.layout(), options.variables);
    check_layout(selection_.layout);
    if (options.keep != Keep::all) check_moments(selection_.layout);
    allow_open_files(std::int64_t{3} * options.chains);
    chains_ = make_chains(job_.target, job_.sampler, job_.parameters, options, crew_.share());
  }

  // All checkpoints are looked at before the first file is cut.
  void open() {
    const int count = job_.options.chains;
    bool resumed = false;
    std::string word, description;  // which has all labels of the model
    together(crew_.exchange(), [&] {
      if (!crew_.leads()) return;
      resumed = open_folder();
      description = to_text(description_);
      if (crew_.dealt()) word = folder_.share();
    });
    if (crew_.dealt()) {
      description = of_rank_0(crew_.exchange(), std::move(description));
      word = of_rank_0(crew_.exchange(), std::move(word));
    }
    together(crew_.exchange(), [&] {
      if (crew_.dealt() && !crew_.leads()) {
        description_ = parse_description(description, "the run of rank 0");
        folder_.join(word);
      }
      id_ = identity(std::exchange(description, {}));
      recorders_.resize(static_cast<std::size_t>(count));
      if (job_.held_out) held_out_.resize(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        if (crew_.records(i)) add_recorder(i);
      }
    });
    std::vector<Checkpoint> checkpoints;
    for (int i = 0; i < count; ++i) checkpoints.push_back(load(i));
    together(crew_.exchange(), [&] {
      for (int i = 0; i < count; ++i) {
        if (crew_.records(i)) storage(i).restart(checkpoints[static_cast<std::size_t>(i)]);
      }
    });
    together(crew_.exchange(), [&] {
      if (crew_.leads() && !resumed) folder_.describe(description_);  // now the folder holds a run
    });
  }

  bool open_folder() {  // true: there is a run to resume
    folder_.occupy();
    folder_.remove_temporaries();
    const bool resumed = durability_.resume && folder_.holds_run();
    if (!resumed) folder_.clear();
    description_ = resumed ? folder_.description() : description_of(job_, selection_, *chains_.front(), durability_);
    require_same(description_.header.info, job_.info, folder_.path());
    return resumed;
  }

  ChainProgress* progress_of(int i) { return progress_.empty() ? nullptr : &progress_[static_cast<std::size_t>(i)]; }

  void add_recorder(int i) {
    const Recording recording{job_.options.schedule, job_.options.keep, chain(i).members(), selection_};
    auto& made = recorders_[static_cast<std::size_t>(i)];
    made = std::make_unique<Recorder>(recording, std::make_unique<RecordStorage>(folder_, i, description_, id_),
                                      progress_of(i));
    if (!job_.held_out) return;
    Recorder& recorder = *made;
    const Rng rng(job_.options.seed, static_cast<std::uint64_t>(i));
    held_out_[static_cast<std::size_t>(i)] = std::make_unique<HeldOutSink>(
        job_.held_out->fork(), rng,
        HeldOutSink::Outside{[&recorder] { return recorder.seconds(); },
                             [this, i](const TraceEntry& entry) { storage(i).add_entry(entry); }});
  }

  std::vector<Sink*> make_sinks(std::vector<std::unique_ptr<SinkPair>>& pairs) {
    std::vector<Sink*> sinks;
    for (std::size_t i = 0; i < recorders_.size(); ++i) {
      sinks.push_back(recorders_[i] ? static_cast<Sink*>(recorders_[i].get()) : &no_sink_);
      if (!recorders_[i] || held_out_.empty()) continue;
      pairs.push_back(std::make_unique<SinkPair>(*recorders_[i], *held_out_[i]));
      sinks.back() = pairs.back().get();
    }
    return sinks;
  }

  // What a checkpoint holds beside its counts, in order: a visitor saves or loads it.
  void fields(int i, auto& visit) {
    for (RunningMoments& member : recorder(i).moments()) visit("moments", member);
    if (!held_out_.empty()) visit("held_out", *held_out_[static_cast<std::size_t>(i)]);
  }

  // Records first, then the state that counts on them. In step every rank has a part of the state, and rank 0 gets all
  // of it.
  void save(int i) {
    if (!crew_.records(i)) {
      Writer discarding([](std::string_view) {});
      chain(i).save(discarding);
      return;
    }
    storage(i).sync();
    const Checkpoint checkpoint{
        id_, i, recorder(i).counts(), storage(i).draws(), storage(i).divergences(), storage(i).trace()};
    write_state(folder_.state(i), checkpoint, [&](Writer& out) {
      fields(i, out);
      chain(i).save(out);
    });
  }

  // Who records a chain reads its state; who runs it gets that. Nothing was saved: both stay as new.
  Checkpoint load(int i) {
    SavedChain saved;
    together(crew_.exchange(), [&] {
      if (crew_.records(i) && is_there(folder_.state(i))) saved = load_recorder(i);
    });
    if (crew_.in_step()) saved.bytes = of_rank_0(crew_.exchange(), std::move(saved.bytes));
    all_do([&] {
      if (crew_.runs(i) && !saved.bytes.empty()) load_chain(i, saved.bytes);
    });
    if (ChainProgress* shown = progress_of(i); shown && crew_.runs(i)) {
      shown->resumed_at = shown->iterations = chain(i).iteration();
    }
    return saved.checkpoint;
  }

  SavedChain load_recorder(int i) {  // what is left is the chain's
    SavedChain saved = read_state(folder_.state(i), id_, i);
    Reader in(saved.bytes);
    explain_in(folder_.state(i), [&] { fields(i, in); });
    recorder(i).go_on_from(saved.checkpoint.counts);
    storage(i).require(saved.checkpoint);
    saved.bytes = std::string(in.rest());
    return saved;
  }

  void load_chain(int i, std::string_view bytes) {
    Reader in(bytes);
    explain_in(folder_.state(i), [&] {
      chain(i).load(in);
      if (!in.at_end()) throw DataError("saved state has more than a chain needs");
    });
  }

  bool write_file(bool complete, std::vector<Tuning> tuning) {
    Run run = open_part(folder_.path());
    if (run.draws() == 0 && run.source->draws(Phase::warmup) == 0) return false;
    run.info.stopped_early = !complete;
    run.tuning = std::move(tuning);
    const bool replace = durability_.overwrite || description_.replace || file_of(job_.info, durability_.out);
    write_run(AtomicFile(durability_.out, folder_.path()), run, *run.source,
              replace ? IfExists::replace : IfExists::fail, job_.fitted);
    return run.draws() > 0;
  }

  // Of all chains, on rank 0.
  std::vector<Tuning> gather_tuning() {
    constexpr std::size_t numbers = 3;
    Exchange& exchange = crew_.exchange();
    std::vector<Tuning> all(chains_.size());
    std::vector<double> known(numbers * chains_.size());
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (!chains_[i]) continue;
      all[i] = chains_[i]->tuning();
      known[numbers * i] = all[i].step_size;
      known[numbers * i + 1] = static_cast<double>(all[i].inverse_metric.rows());
      known[numbers * i + 2] = static_cast<double>(all[i].inverse_metric.cols());
    }
    exchange.sum(known);
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      Mat& metric = all[i].inverse_metric;
      if (chains_[i] && !crew_.leads()) exchange.send({metric.data(), static_cast<std::size_t>(metric.size())}, 0, 0);
      if (chains_[i] || !crew_.leads()) continue;
      all[i].step_size = known[numbers * i];
      metric.resize(static_cast<Index>(known[numbers * i + 1]), static_cast<Index>(known[numbers * i + 2]));
      const int owner = static_cast<int>(i) % exchange.size();
      exchange.receive({metric.data(), static_cast<std::size_t>(metric.size())}, owner, 0);
    }
    exchange.wait();
    return all;
  }

  const SamplingJob& job_;
  const Durability& durability_;
  std::span<ChainProgress> progress_;
  Crew crew_;
  PartFolder folder_;
  Selection selection_;
  std::vector<std::unique_ptr<Chain>> chains_;  // null: another rank's
  RunDescription description_;                  // of who records a chain
  std::uint64_t id_ = 0;                        // likewise
  NoSink no_sink_;
  std::vector<std::unique_ptr<Recorder>> recorders_;    // null: another rank's
  std::vector<std::unique_ptr<HeldOutSink>> held_out_;  // one per recorder; empty: nothing is predicted
};

}  // namespace

void check_output(const Durability& durability, std::span<const std::string> inputs) {
  const PartFolder folder = PartFolder::beside(durability.out);
  for (const fs::path& written : {durability.out, folder.path()}) require_not_read(written, inputs);
  if (!durability.overwrite && !durability.resume) {
    if (folder.holds_run()) {
      folder.require_free();
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
