// The folder of an unfinished run, beside the file that it will become:
//
//   run.nc.part/run                      RunDescription
//   run.nc.part/chain-1.draws            records: iteration, member, warmup, values, statistics
//   run.nc.part/chain-1.divergences      records: iteration, warmup, position
//   run.nc.part/chain-1.state            the last checkpoint: counts, lengths of the two files above, the chain
//   run.nc.part/lock                     held by the process that runs
#pragma once

#include <filesystem>
#include <optional>

#include <quasar/run_data.hpp>

#include "io/file_descriptor.hpp"
#include "io/run_description.hpp"

namespace quasar {

class PartFolder {
 public:
  // The folder of the run file `out`. It need not be there.
  explicit PartFolder(const std::filesystem::path& out);

  const std::filesystem::path& path() const { return path_; }
  bool holds_run() const;  // a description: what came before it is nothing to go on from
  void occupy();           // makes the folder and locks it. UsageError: another process has it. DataError
  void clear();            // removes what is in it
  void remove();           // and the folder itself, unless something else is in it

  std::filesystem::path draws(int chain) const { return file(chain, ".draws"); }
  std::filesystem::path divergences(int chain) const { return file(chain, ".divergences"); }
  std::filesystem::path state(int chain) const { return file(chain, ".state"); }

  void describe(const RunDescription& description) const;
  RunDescription description() const;
  std::uint64_t run_id() const;  // of the description, for the files of records

 private:
  std::filesystem::path file(int chain, const char* kind) const;

  std::filesystem::path path_;
  std::optional<FileDescriptor> lock_;
};

inline constexpr Index draw_prefix = 3, divergence_prefix = 2;  // numbers of a record before its values

// A run in progress, or one that was stopped: what all chains have by now. `folder` is run.nc.part.
Run open_part(const std::filesystem::path& folder);

}  // namespace quasar
