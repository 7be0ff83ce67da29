// The folder of an unfinished run, beside the file that it will become:
//
//   run.nc.part/run                      RunDescription
//   run.nc.part/chain-1.draws            records: iteration, member, warmup, values, statistics
//   run.nc.part/chain-1.divergences      records: iteration, warmup, position
//   run.nc.part/chain-1.trace            records of TraceEntry, of a run that predicts held-out rows
//   run.nc.part/chain-1.state            the last checkpoint: whose it is, counts, lengths of the files above; moments,
//                                        averages of predictions, the chain
//   run.nc.part/lock                     held by the process that runs, or by all ranks of its job
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <quasar/run_data.hpp>

#include "core/recorder.hpp"
#include "io/file_descriptor.hpp"
#include "io/run_description.hpp"

namespace quasar {

class PartFolder {
 public:
  explicit PartFolder(std::filesystem::path path) : path_(std::move(path)) {}  // it need not be there
  static PartFolder beside(const std::filesystem::path& out);                  // of the run file `out`

  const std::filesystem::path& path() const { return path_; }
  bool holds_run() const;              // a description: what came before it is nothing to go on from
  void require_free() const;           // UsageError: another process has it
  void occupy();                       // makes the folder and locks it. UsageError: another process has it. DataError
  std::string share();                 // of the process that has it: the word by which others of its job join
  void join(const std::string& word);  // DataError: this is not the folder of whoever gave the word
  void leave() { lock_.reset(); }
  void clear();   // removes what is in it
  void remove();  // and the folder itself, unless something else is in it
  void remove_temporaries();

  std::filesystem::path draws(int chain) const { return file(chain, ".draws"); }
  std::filesystem::path divergences(int chain) const { return file(chain, ".divergences"); }
  std::filesystem::path trace(int chain) const { return file(chain, ".trace"); }
  std::filesystem::path state(int chain) const { return file(chain, ".state"); }

  std::filesystem::path description_file() const;  // of which there is one: it holds a run
  void describe(const RunDescription& description) const;
  RunDescription description() const;

 private:
  std::filesystem::path file(int chain, const char* kind) const;
  template <class Which>
  void remove_files(Which&& which);

  std::filesystem::path path_;
  std::optional<FileDescriptor> lock_;
};

inline constexpr Index draw_prefix = 3, divergence_prefix = 2;  // numbers of a record before its values

std::uint64_t record_owner(std::uint64_t run, int chain, std::string_view kind);  // kind: "draws", say

struct Checkpoint {  // what a state file begins with
  std::uint64_t run = 0;
  int chain = 0;
  StepCounts counts;
  Index draws = 0, divergences = 0, trace = 0;  // records
  static void fields(auto& self, auto&& visit) {
    visit("run", self.run);
    visit("chain", self.chain);
    visit("counts", self.counts);
    visit("draws", self.draws);
    visit("divergences", self.divergences);
    visit("trace", self.trace);
  }
};

// The checkpoint, and the bytes behind it. DataError: damaged, of another run or chain.
struct SavedChain {
  Checkpoint checkpoint;
  std::string bytes;
};
void explain_in(const std::filesystem::path& path, const std::function<void()>& load);  // names the file in errors
void write_state(const std::filesystem::path& path, const Checkpoint& checkpoint,
                 const std::function<void(Writer&)>& write_rest);
SavedChain read_state(const std::filesystem::path& path, std::uint64_t run, int chain);

// A run in progress, or one that was stopped: what all chains have by now. `path` is run.nc.part.
Run open_part(const std::filesystem::path& path);

}  // namespace quasar
