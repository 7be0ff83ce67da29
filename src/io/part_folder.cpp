#include "io/part_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <span>

#include <quasar/errors.hpp>

#include "core/fnv1a.hpp"
#include "io/atomic_file.hpp"
#include "io/checked_file.hpp"
#include "io/record_file.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view description_name = "run", state_kind = "state-2";

[[noreturn]] void refuse_occupied(const fs::path& folder) {
  throw UsageError(fmt::format("{} belongs to a run that is going on in another process", folder.string()));
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "run", or "chain-7.draws" and the like
bool is_record_or_state(std::string_view name) {
  constexpr std::string_view prefix = "chain-";
  if (name == description_name) return true;
  const std::size_t dot = name.find('.');
  if (!name.starts_with(prefix) || dot == std::string_view::npos) return false;
  const std::string_view kind = name.substr(dot + 1);
  return is_digits(name.substr(prefix.size(), dot - prefix.size())) &&
         (kind == "draws" || kind == "divergences" || kind == "trace" || kind == "state");
}

// A temporary of AtomicFile, "name.tmp-12-1", of one of our files or of the run file to come.
bool is_temporary(std::string_view name, std::string_view run_file) {
  constexpr std::string_view mark = ".tmp-";
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos) return false;
  const std::string_view owner = name.substr(0, at), numbers = name.substr(at + mark.size());
  const std::size_t dash = std::min(numbers.find('-'), numbers.size() - 1);
  return is_digits(numbers.substr(0, dash)) && is_digits(numbers.substr(dash + 1)) &&
         (owner == run_file || is_record_or_state(owner));
}

class RecordedDraws final : public DrawSource {
 public:
  RecordedDraws(std::vector<RecordReader> files, const RunDescription& description)
      : members_(description.header.info.members), values_(description.header.layout.size()), files_(std::move(files)) {
    const Schedule& schedule = description.header.info.schedule;
    const std::int64_t kept = schedule.kept(schedule.warmup), stride = description.header.info.stored_every;
    warmup_rows_ = description.save_warmup ? (kept + stride - 1) / stride * members_ : 0;
  }

  Index chains() const override { return std::ssize(files_) * members_; }
  bool has(Phase phase) const override { return phase == Phase::sampling || warmup_rows_ > 0; }
  Index draws(Phase phase) const override {
    const auto rows = [&](const RecordReader& file) {
      const Index warmup = std::min(file.records(), warmup_rows_);
      return (phase == Phase::warmup ? warmup : file.records() - warmup) / members_;
    };
    Index fewest = rows(files_.front());
    for (const RecordReader& file : files_) fewest = std::min(fewest, rows(file));
    return fewest;
  }
  void read(const DrawSlab& slab, std::span<double> out) const override {
    const Index phase_begin = slab.phase == Phase::warmup ? 0 : warmup_rows_;
    const Index first = phase_begin + slab.first_draw * members_ + slab.chain % members_;
    const Index column = draw_prefix + (slab.part == Part::stats ? values_ : 0) + slab.first_column;
    files_[static_cast<std::size_t>(slab.chain / members_)].read(first, members_, slab.draws, column, slab.columns,
                                                                 out);
  }

 private:
  Index members_, values_, warmup_rows_ = 0;  // warm-up records stand first
  std::vector<RecordReader> files_;
};

std::vector<RunningMoments> empty_moments(const RunDescription& description) {
  const RunHeader& header = description.header;
  if (!description.keeps_moments()) return {};
  return std::vector<RunningMoments>(static_cast<std::size_t>(header.info.members),
                                     RunningMoments(header.moments.layout.size()));
}

// Gathers what the chains of a run have by now.
class PartReader {
 public:
  PartReader(const PartFolder& folder, const RunDescription& description)
      : folder_(folder), description_(description), id_(identity(description)) {
    static_cast<RunHeader&>(run_) = description.header;
    run_.info.stopped_early = true;
  }

  void read_chain(int chain) {
    std::error_code ignored;
    SavedChain saved;  // nothing, before the first checkpoint
    if (fs::exists(folder_.state(chain), ignored)) saved = read_state(folder_.state(chain), id_, chain);
    counts_.push_back(saved.checkpoint.counts);
    const Index values = description_.header.layout.size() + std::ssize(description_.header.stats);
    draws_.push_back(records(folder_.draws(chain), chain, "draws", draw_prefix + values, saved.checkpoint.draws));
    read_divergences(chain, saved.checkpoint.divergences);
    read_averages(chain, saved);
  }

  Run run() {
    add_counts(counts_, run_.info);
    const auto after_warmup = std::count_if(run_.divergences.begin(), run_.divergences.end(),
                                            [](const Divergence& divergence) { return !divergence.warmup; });
    run_.info.divergences = std::max<std::int64_t>(run_.info.divergences, after_warmup);  // the counts may be older
    if (description_.predicts()) run_.held_out = held_out_result(description_.held_out, predictions_, traces_);
    run_.source = std::make_shared<RecordedDraws>(std::move(draws_), description_);
    return std::move(run_);
  }

 private:
  RecordReader records(const fs::path& path, int chain, std::string_view kind, Index width, Index needed) const {
    RecordReader file(path, record_owner(id_, chain, kind), width);
    file.require(needed);
    return file;
  }

  void read_divergences(int chain, Index needed) {
    const Index width = divergence_prefix + description_.dim;
    const RecordReader file = records(folder_.divergences(chain), chain, "divergences", width, needed);
    std::vector<double> numbers(static_cast<std::size_t>(width));
    for (Index i = 0; i < file.records(); ++i) {
      file.read(i, 1, 1, 0, width, numbers);
      run_.divergences.push_back({chain,
                                  static_cast<std::int64_t>(numbers[0]),
                                  numbers[1] != 0,
                                  {numbers.begin() + divergence_prefix, numbers.end()}});
    }
  }

  // Moments and predictions are those of the last checkpoint; so is the trace, which belongs to them.
  void read_averages(int chain, const SavedChain& saved) {
    std::vector<RunningMoments> moments = empty_moments(description_);
    if (description_.predicts()) predictions_.emplace_back(description_.held_out);
    if (!saved.bytes.empty()) {
      explain_in(folder_.state(chain), [&] {
        Reader in(saved.bytes);
        for (RunningMoments& member : moments) in("moments", member);
        if (description_.predicts()) in("held_out", predictions_.back());
      });
    }
    for (const RunningMoments& member : moments) run_.moments.chains.push_back(result_of(member));
    if (!description_.predicts()) return;
    const Index needed = saved.checkpoint.trace;
    const RecordReader file = records(folder_.trace(chain), chain, "trace", TraceEntry::size, needed);
    traces_.emplace_back(static_cast<std::size_t>(needed * TraceEntry::size));
    file.read(0, 1, needed, 0, TraceEntry::size, traces_.back());
  }

  const PartFolder& folder_;
  const RunDescription& description_;
  std::uint64_t id_;
  Run run_;
  std::vector<StepCounts> counts_;
  std::vector<RecordReader> draws_;
  std::vector<SavedHeldOut> predictions_;
  std::vector<std::vector<double>> traces_;
};

}  // namespace

PartFolder PartFolder::beside(const fs::path& out) {
  fs::path folder = behind_links(out);
  return PartFolder(folder += ".part");
}

fs::path PartFolder::file(int chain, const char* kind) const {
  return path_ / fmt::format("chain-{}{}", chain + 1, kind);
}

fs::path PartFolder::description_file() const { return path_ / description_name; }

bool PartFolder::holds_run() const {
  std::error_code ignored;
  return fs::exists(description_file(), ignored);
}

// The lock of all ranks of a job is a shared one: only for the whole of it does one have to wait.
void PartFolder::require_free() const {
  std::error_code ignored;
  const fs::path lock = path_ / "lock";
  if (fs::exists(lock, ignored) && !FileDescriptor::open_readable(lock).try_lock()) refuse_occupied(path_);
}

void PartFolder::occupy() {
  std::error_code failed;
  if (fs::create_directory(path_, failed)) sync_to_disk(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
  std::error_code ignored;
  if (!fs::is_directory(path_, ignored)) {
    throw DataError(fmt::format("{}: the folder for the run's records cannot be made: {}", path_.string(),
                                failed ? failed.message() : "a file has its name"));
  }
  lock_.emplace(FileDescriptor::open_or_create(path_ / "lock"));
  if (!lock_->try_lock()) refuse_occupied(path_);
}

// While one of the job is alive no other process gets the folder for itself, whichever of them dies first.
std::string PartFolder::share() {
  std::string word = fmt::format("{} {}", ::getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  lock_->resize(0);
  lock_->write_at(0, std::as_bytes(std::span(word)));
  lock_->sync();
  if (!lock_->try_lock(FileDescriptor::Lock::shared)) refuse_occupied(path_);
  return word;
}

void PartFolder::join(const std::string& word) {
  std::error_code ignored;
  std::string found;
  if (fs::exists(path_ / "lock", ignored)) {
    lock_.emplace(FileDescriptor::open_existing(path_ / "lock"));
    found.resize(std::min(word.size(), static_cast<std::size_t>(lock_->size())));
    lock_->read_at(0, std::as_writable_bytes(std::span(found)));
  }
  if (found != word || !lock_->try_lock(FileDescriptor::Lock::shared)) {
    throw DataError(fmt::format("{}: is not the folder that rank 0 has made; the records need one that all ranks share",
                                fs::absolute(path_, ignored).string()));
  }
}

// Only what a run puts there: whatever else a user keeps in a folder of this name is not ours to delete.
template <class Which>
void PartFolder::remove_files(Which&& which) {
  const std::string run_file = path_.stem().string();
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (which(name, run_file) && !fs::remove(entry.path(), failed) && failed) {
      throw DataError(fmt::format("{}: cannot be removed: {}", entry.path().string(), failed.message()));
    }
  }
}

void PartFolder::remove_temporaries() { remove_files(is_temporary); }

// The description goes first: a folder without it is no run, however much of the rest is left.
void PartFolder::clear() {
  remove_files([](std::string_view name, std::string_view) { return name == description_name; });
  remove_files([](std::string_view name, std::string_view run_file) {
    return is_record_or_state(name) || is_temporary(name, run_file);
  });
}

void PartFolder::remove() {
  std::error_code not_empty;
  clear();
  fs::remove(path_ / "lock", not_empty);
  lock_.reset();
  fs::remove(path_, not_empty);
}

void PartFolder::describe(const RunDescription& description) const {
  write_checked_file(description_file(), description_name, to_text(description));
}

RunDescription PartFolder::description() const {
  const fs::path path = description_file();
  return parse_description(read_checked_file(path, description_name), path.string());
}

std::uint64_t record_owner(std::uint64_t run, int chain, std::string_view kind) {
  return fnv1a(fmt::format("{} {}", chain, kind), run);
}

void explain_in(const fs::path& path, const std::function<void()>& load) {
  try {
    load();
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void write_state(const fs::path& path, const Checkpoint& checkpoint, const std::function<void(Writer&)>& write_rest) {
  CheckedFile file(path, state_kind);
  Writer out([&](std::string_view bytes) { file.write(bytes); });
  out("checkpoint", checkpoint);
  write_rest(out);
  file.commit();
}

SavedChain read_state(const fs::path& path, std::uint64_t run, int chain) {
  SavedChain saved;
  saved.bytes = read_checked_file(path, state_kind);
  Reader in(saved.bytes);
  explain_in(path, [&] { in("checkpoint", saved.checkpoint); });
  if (saved.checkpoint.run != run || saved.checkpoint.chain != chain) {
    throw DataError(fmt::format("{}: belongs to another run or chain", path.string()));
  }
  saved.bytes.erase(0, saved.bytes.size() - in.rest().size());
  return saved;
}

Run open_part(const fs::path& path) {
  const PartFolder folder(path);
  if (!folder.holds_run()) throw DataError(fmt::format("{}: is a folder without a run", path.string()));
  const RunDescription description = folder.description();
  PartReader reader(folder, description);
  for (int i = 0; i < description.chains; ++i) reader.read_chain(i);
  return reader.run();
}

}  // namespace quasar
