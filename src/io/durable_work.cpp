#include "io/durable_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <quasar/errors.hpp>

#include "io/checked_file.hpp"
#include "io/join.hpp"
#include "io/json_text.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

constexpr int most_of_the_time = 20;  // checkpoints take no larger share of it than one in so many

// What cannot be read is nothing to go on from.
template <class Read>
auto read_or_begin_anew(Read&& read) {
  try {
    return read();
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}; --overwrite begins anew", error.what()));
  }
}

nlohmann::json read_description(const fs::path& file, std::string_view kind) {
  nlohmann::json begun = parse_json(file.string(), read_checked_file(file, kind));
  if (!begun.is_object() || !begun.contains("work") || !begun.contains("replace") || !begun["replace"].is_boolean()) {
    throw DataError(file.string() + ": does not tell what was begun");
  }
  return begun;
}

}  // namespace

nlohmann::json unfinished_work(const PartFolder& folder, std::string_view description_kind) {
  return read_or_begin_anew([&] { return read_description(folder.description_file(), description_kind); });
}

std::vector<std::string> differences(const nlohmann::json& there, const nlohmann::json& here) {
  const nlohmann::json a = there.flatten(), b = here.flatten();
  std::set<std::string> names;
  for (const nlohmann::json* one : {&a, &b}) {
    for (const auto& entry : one->items()) names.insert(entry.key());
  }
  const auto shown = [](const nlohmann::json& all, const std::string& name) {
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

void require_same_work(const nlohmann::json& there, const nlohmann::json& here, const fs::path& where) {
  const auto found = differences(there, here);
  if (found.empty()) return;
  throw UsageError(
      fmt::format("{} cannot be resumed: {}. Resume it as it was begun, or start anew with --overwrite alone",
                  where.string(), join(found, "; ")));
}

bool already_done(const Durability& durability, KindsOfWork kinds, const nlohmann::json& decisive,
                  const std::function<FinishedWork()>& what_made) {
  if (!durability.resume) return false;
  PartFolder folder = PartFolder::beside(durability.out);
  const bool unfinished = folder.holds_run();
  bool replace = durability.overwrite;
  if (unfinished) {
    const nlohmann::json begun = unfinished_work(folder, kinds.description);
    require_same_work(begun.at("work"), decisive, folder.path());
    replace = replace || begun.at("replace").get<bool>();
  }
  std::error_code ignored;
  if (!fs::exists(durability.out, ignored)) return false;
  FinishedWork there;
  try {
    there = what_made();
  } catch (const DataError&) {  // something else is there
    if (!replace && !unfinished) throw;
  }
  if (!differences(there.work, decisive).empty()) {
    if (replace) return false;
    if (!unfinished) require_same_work(there.work, decisive, durability.out);
    throw UsageError(
        fmt::format("{} is not of the work in {}: move it away, or add --overwrite to replace it at the end",
                    durability.out.string(), folder.path().string()));
  }
  if (there.stopped_early) return false;
  if (unfinished) {  // killed between putting the file in place and tidying up
    folder.occupy();
    folder.remove();
  }
  return true;
}

DurableWork::DurableWork(const Durability& durability, KindsOfWork kinds, const nlohmann::json& decisive,
                         WorkInSteps work)
    : durability_(durability),
      kinds_(kinds),
      work_(std::move(work)),
      folder_(PartFolder::beside(durability.out)),
      replaces_(durability.overwrite) {
  folder_.occupy();
  folder_.remove_temporaries();
  if (durability.resume && folder_.holds_run()) {
    resume(decisive);
  } else {
    folder_.clear();
    const nlohmann::json description = {{"work", decisive}, {"replace", durability.overwrite}};
    write_checked_file(folder_.description_file(), kinds_.description, description.dump());
  }
  saved_done_ = work_.done();
}

void DurableWork::resume(const nlohmann::json& decisive) {
  const nlohmann::json begun = unfinished_work(folder_, kinds_.description);
  require_same_work(begun.at("work"), decisive, folder_.path());
  replaces_ = replaces_ || begun.at("replace").get<bool>();
  std::error_code ignored;
  if (!fs::exists(folder_.state(0), ignored)) return;
  read_or_begin_anew([&] {
    const std::string bytes = read_checked_file(folder_.state(0), kinds_.state);
    Reader in(bytes);
    explain_in(folder_.state(0), [&] {
      work_.load(in);
      if (!in.at_end()) throw DataError("saved state has more than the work needs");
    });
  });
}

void DurableWork::save_when_due() {
  constexpr double rounding = 1e-9;
  const auto every = static_cast<double>(durability_.checkpoint_every);
  if (every > 0 ? work_.done() >= saved_done_ + every - rounding : Clock::now() >= due_) save();
}

void DurableWork::save() {
  const Clock::time_point began = Clock::now();
  CheckedFile file(folder_.state(0), kinds_.state);
  Writer out([&](std::string_view bytes) { file.write(bytes); });
  work_.save(out);
  file.commit();
  saved_done_ = work_.done();
  const Clock::time_point now = Clock::now();
  due_ = now + std::max<Clock::duration>(between_checkpoints, most_of_the_time * (now - began));
}

}  // namespace quasar
