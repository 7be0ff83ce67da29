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

}  // namespace

nlohmann::json unfinished_work(const PartFolder& folder, std::string_view description_kind) {
  const fs::path file = folder.description_file();
  nlohmann::json begun = parse_json(file.string(), read_checked_file(file, description_kind));
  if (!begun.is_object() || !begun.contains("work") || !begun.contains("replace") || !begun["replace"].is_boolean()) {
    throw DataError(file.string() + ": does not tell what was begun; --overwrite begins anew");
  }
  return begun;
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
  const std::string bytes = read_checked_file(folder_.state(0), kinds_.state);
  Reader in(bytes);
  explain_in(folder_.state(0), [&] {
    work_.load(in);
    if (!in.at_end()) throw DataError("saved state has more than the work needs");
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
