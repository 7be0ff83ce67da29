#include "io/part_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include <quasar/errors.hpp>

#include "core/recorder.hpp"
#include "io/atomic_file.hpp"
#include "io/checked_file.hpp"
#include "io/checksum.hpp"
#include "io/record_file.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view description_kind = "run";
const char* const description_name = "run";

class RecordedDraws final : public DrawSource {
 public:
  RecordedDraws(const PartFolder& folder, const RunDescription& description)
      : members_(description.header.info.members), values_(description.header.layout.size()) {
    const Schedule& schedule = description.header.info.schedule;
    const Index width = draw_prefix + values_ + std::ssize(description.header.stats);
    warmup_rows_ = description.save_warmup ? schedule.kept(schedule.warmup) * members_ : 0;
    const std::uint64_t run = folder.run_id();
    for (int i = 0; i < description.chains; ++i) files_.emplace_back(folder.draws(i), run, width);
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

std::vector<Divergence> read_divergences(const fs::path& path, std::uint64_t run, int chain, Index dim) {
  const RecordReader file(path, run, divergence_prefix + dim);
  std::vector<double> numbers(static_cast<std::size_t>(divergence_prefix + dim));
  std::vector<Divergence> found;
  for (Index i = 0; i < file.records(); ++i) {
    file.read(i, 1, 1, 0, divergence_prefix + dim, numbers);
    found.push_back({chain,
                     static_cast<std::int64_t>(numbers[0]),
                     numbers[1] != 0,
                     {numbers.begin() + divergence_prefix, numbers.end()}});
  }
  return found;
}

// As of the last checkpoint; zeros before the first.
StepCounts saved_counts(const fs::path& state) {
  StepCounts counts;
  std::error_code ignored;
  if (!fs::exists(state, ignored)) return counts;
  const std::string bytes = read_checked_file(state, "state");
  Reader reader(bytes);
  reader("counts", counts);
  return counts;
}

}  // namespace

PartFolder::PartFolder(const fs::path& out) : path_(behind_links(out)) { path_ += ".part"; }

fs::path PartFolder::file(int chain, const char* kind) const {
  return path_ / fmt::format("chain-{}{}", chain + 1, kind);
}

bool PartFolder::holds_run() const {
  std::error_code ignored;
  return fs::exists(path_ / description_name, ignored);
}

void PartFolder::occupy() {
  std::error_code failed;
  fs::create_directory(path_, failed);
  if (!fs::is_directory(path_, failed)) {
    throw DataError(fmt::format("{}: the folder for the run's records cannot be made: {}", path_.string(),
                                failed ? failed.message() : "a file has its name"));
  }
  lock_.emplace(FileDescriptor::open_or_create(path_ / "lock"));
  if (!lock_->try_lock()) {
    throw UsageError(fmt::format("{} belongs to a run that is going on in another process", path_.string()));
  }
}

// Only what a run puts there: whatever else a user keeps in a folder of this name is not ours to delete. The
// description goes first: a folder without it is no run, however much of the rest is left.
void PartFolder::clear() {
  static const std::regex ours(R"((run|chain-\d+\.(draws|divergences|state))(\.tmp-\d+-\d+)?|.*\.tmp-\d+-\d+)");
  fs::remove(path_ / description_name);
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (std::regex_match(entry.path().filename().string(), ours)) fs::remove(entry.path());
  }
}

void PartFolder::remove() {
  std::error_code not_empty;
  clear();
  fs::remove(path_ / "lock");
  lock_.reset();
  fs::remove(path_, not_empty);
}

void PartFolder::describe(const RunDescription& description) const {
  write_checked_file(path_ / description_name, description_kind, to_text(description));
}

RunDescription PartFolder::description() const {
  const fs::path file = path_ / description_name;
  return parse_description(read_checked_file(file, description_kind), file.string());
}

std::uint64_t PartFolder::run_id() const {
  const std::string text = read_checked_file(path_ / description_name, description_kind);
  return checksum(std::as_bytes(std::span(text)));
}

Run open_part(const fs::path& folder_path) {
  fs::path out = folder_path;
  const PartFolder folder(out.replace_extension());
  if (!folder.holds_run()) throw DataError(fmt::format("{}: is a folder without a run", folder_path.string()));
  const RunDescription description = folder.description();
  Run run;
  static_cast<RunHeader&>(run) = description.header;
  run.info.stopped_early = true;
  std::vector<StepCounts> counts;
  for (int i = 0; i < description.chains; ++i) {
    counts.push_back(saved_counts(folder.state(i)));
    const auto found = read_divergences(folder.divergences(i), folder.run_id(), i, description.dim);
    run.divergences.insert(run.divergences.end(), found.begin(), found.end());
  }
  add_counts(counts, run.info);
  const auto after_warmup = std::count_if(run.divergences.begin(), run.divergences.end(),
                                          [](const Divergence& divergence) { return !divergence.warmup; });
  run.info.divergences = std::max<std::int64_t>(run.info.divergences, after_warmup);  // the counts may be older
  run.source = std::make_shared<RecordedDraws>(folder, description);
  return run;
}

}  // namespace quasar
