// Long work that survives its process: what it was begun as and its last checkpoint lie in the folder `out`.part until
// the file `out` is there.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <quasar/fields.hpp>

#include "io/atomic_file.hpp"
#include "io/durable_run.hpp"
#include "io/part_folder.hpp"

namespace quasar {

struct KindsOfWork {  // of the files in the folder, 8 letters at most
  std::string_view description, state;
};

// What was begun and is not done: {"work", "replace"}. DataError: it cannot be read, or is of another kind.
nlohmann::json unfinished_work(const PartFolder& folder, std::string_view description_kind);

// "draws: 300 there, 400 here" for every value that differs.
std::vector<std::string> differences(const nlohmann::json& there, const nlohmann::json& here);

// UsageError: they differ; `where` cannot be resumed.
void require_same_work(const nlohmann::json& there, const nlohmann::json& here, const std::filesystem::path& where);

struct FinishedWork {
  nlohmann::json work;
  bool stopped_early = false;
};

// Whether `out` is what `decisive` work makes, so that resuming has nothing left to do. `what_made` reads `out`.
// UsageError: it, or what was begun, is of other work; the message says what differs. DataError: what_made's.
bool already_done(const Durability& durability, KindsOfWork kinds, const nlohmann::json& decisive,
                  const std::function<FinishedWork()>& what_made);

struct WorkInSteps {
  std::function<void(Writer&)> save;
  std::function<void(Reader&)> load;  // DataError
  std::function<double()> done;       // so far, in the unit of Durability::checkpoint_every
};

class DurableWork {
 public:
  // decisive: all that decides what the work finds. Where there is a checkpoint to go on from, it is loaded.
  // UsageError: what is there was begun in another way, or another process is at it. DataError: it is damaged, or
  // nothing can be written.
  DurableWork(const Durability& durability, KindsOfWork kinds, const nlohmann::json& decisive, WorkInSteps work);

  void save_when_due();  // after a step; checkpoint_every = 0: about every thirty seconds
  void save();
  const std::filesystem::path& folder() const { return folder_.path(); }
  IfExists if_exists() const { return replaces_ ? IfExists::replace : IfExists::fail; }  // as it was begun, or as asked
  void finish() { folder_.remove(); }

 private:
  using Clock = std::chrono::steady_clock;

  void resume(const nlohmann::json& decisive);

  Durability durability_;
  KindsOfWork kinds_;
  WorkInSteps work_;
  PartFolder folder_;
  bool replaces_;
  Clock::time_point due_ = Clock::now() + between_checkpoints;
  double saved_done_ = 0;
  static constexpr std::chrono::seconds between_checkpoints{30};
};

}  // namespace quasar
