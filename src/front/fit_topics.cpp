#include "front/fit_topics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "io/checked_file.hpp"
#include "io/join.hpp"
#include "io/json_text.hpp"
#include "io/part_folder.hpp"
#include "io/topic_file.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view description_kind = "topics", state_kind = "topics-1";
constexpr auto between_checkpoints = std::chrono::seconds(30);

// All that decides what a fit finds.
Json decisive(const TopicFitInfo& info) {
  Json json = {{"data", info.data_hash},
               {"number_of_documents", info.documents},
               {"tokens", info.tokens},
               {"held_out", info.held_out_source + " " + info.held_out_hash},
               {"version", info.quasar_version.empty() ? QUASAR_VERSION : info.quasar_version}};
  json.update(parse_json("the configuration", info.configuration));
  json.erase("documents");  // how they were read shows in what they are
  return json;
}

std::vector<std::string> differences(const Json& there, const Json& here) {
  const Json a = there.flatten(), b = here.flatten();
  std::set<std::string> names;
  for (const Json* one : {&a, &b}) {
    for (const auto& entry : one->items()) names.insert(entry.key());
  }
  const auto shown = [](const Json& all, const std::string& name) {
    return all.contains(name) ? all.at(name).dump() : std::string("none");
  };
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (shown(a, name) == shown(b, name)) continue;
    found.push_back(
        fmt::format("{}: {} there, {} here", name.substr(name.rfind('/') + 1), shown(a, name), shown(b, name)));
  }
  return found;
}

void require_same(const Json& there, const Json& here, const fs::path& where) {
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

Json description_in(const PartFolder& folder) {  // {"fit", "replace"}
  const fs::path file = folder.description_file();
  return parse_json(file.string(), read_checked_file(file, description_kind));
}

// Of a file of topics; nothing: it is none.
std::optional<TopicFitInfo> info_of(const fs::path& file) {
  try {
    return read_topics_info(file);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

void show_progress(const TopicFit& fit, ChainProgress& progress) {
  progress.iterations.store(static_cast<std::int64_t>(std::floor(fit.passes() + 1e-9)), std::memory_order_relaxed);
}

void run(TopicFit& fit, ChainProgress& progress, const std::stop_token& stop, const std::function<void()>& after_step) {
  show_progress(fit, progress);
  progress.resumed_at = progress.iterations.load();
  while (!fit.done() && !stop.stop_requested()) {
    fit.step();
    show_progress(fit, progress);
    after_step();
  }
}

class DurableFit {
 public:
  DurableFit(TopicFit& fit, const Durability& durability)
      : fit_(fit), durability_(durability), folder_(PartFolder::beside(durability.out)) {
    folder_.occupy();
    folder_.remove_temporaries();
    if (durability.resume && folder_.holds_run()) {
      resume();
    } else {
      folder_.clear();
      const Json description = {{"fit", decisive(fit_.info())}, {"replace", durability.overwrite}};
      write_checked_file(folder_.description_file(), description_kind, description.dump());
    }
  }

  void save_when_due() {
    const bool by_passes = durability_.checkpoint_every > 0;
    const bool due = by_passes
                         ? fit_.passes() >= saved_passes_ + static_cast<double>(durability_.checkpoint_every) - 1e-9
                         : Clock::now() - saved_ > between_checkpoints;
    if (due) save();
  }

  void save() {
    CheckedFile file(folder_.state(0), state_kind);
    Writer out([&](std::string_view bytes) { file.write(bytes); });
    fit_.save(out);
    file.commit();
    saved_ = Clock::now();
    saved_passes_ = fit_.passes();
  }

  void write(const FittedTopics& found) {
    const bool replace = durability_.overwrite || durability_.resume;
    write_topics(AtomicFile(durability_.out, folder_.path()), found, replace ? IfExists::replace : IfExists::fail);
    if (!found.info.stopped_early) folder_.remove();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void resume() {
    require_same(description_in(folder_).at("fit"), decisive(fit_.info()), folder_.path());
    if (!is_there(folder_.state(0))) return;
    const std::string bytes = read_checked_file(folder_.state(0), state_kind);
    Reader in(bytes);
    explain_in(folder_.state(0), [&] {
      fit_.load(in);
      if (!in.at_end()) throw DataError("saved state has more than the fit needs");
    });
    saved_passes_ = fit_.passes();
  }

  TopicFit& fit_;
  const Durability& durability_;
  PartFolder folder_;
  Clock::time_point saved_ = Clock::now();
  double saved_passes_ = 0;
};

}  // namespace

FittedTopics fit_topics(TopicFit& fit, ChainProgress& progress, const std::stop_token& stop) {
  run(fit, progress, stop, [] {});
  return fit.result();
}

FittedTopics fit_topics_durably(TopicFit& fit, const Durability& durability, ChainProgress& progress,
                                const std::stop_token& stop) {
  DurableFit durable(fit, durability);
  run(fit, progress, stop, [&] { durable.save_when_due(); });
  if (!fit.done()) durable.save();  // before the present state is taken for a result
  FittedTopics found = fit.result();
  durable.write(found);
  return found;
}

bool already_fitted(const Durability& durability, const TopicFitInfo& wanted) {
  if (!durability.resume) return false;
  PartFolder folder = PartFolder::beside(durability.out);
  const bool unfinished = folder.holds_run();
  bool replace = durability.overwrite;
  if (unfinished) {
    const Json description = description_in(folder);
    require_same(description.at("fit"), decisive(wanted), folder.path());
    replace = replace || description.at("replace").get<bool>();
  }
  if (!is_there(durability.out)) return false;
  const std::optional<TopicFitInfo> there = info_of(durability.out);
  if (!there || !differences(decisive(*there), decisive(wanted)).empty()) {
    if (replace) return false;
    if (!unfinished) require_same(decisive(read_topics_info(durability.out)), decisive(wanted), durability.out);
    throw UsageError(
        fmt::format("{} is not of the fit in {}: move it away, or add --overwrite to replace it at the end",
                    durability.out.string(), folder.path().string()));
  }
  if (there->stopped_early) return false;
  if (unfinished) {  // killed between putting the file in place and tidying up
    folder.occupy();
    folder.remove();
  }
  return true;
}

}  // namespace quasar
