// Sampling that survives its process: draws go to records on disk as they are made, checkpoints beside them, and at the
// end the records become the run file. Killed at any moment and resumed, a run gives the same draws, bit for bit.
//
// Many ranks may share a run, in one of two ways. In step (SampleOptions::exchange) they run every chain together, and
// rank 0 records them. Or the chains are dealt out among them (SamplingJob::dealt_over), and each rank records its own
// in the folder, which all must see. Either way rank 0 makes the folder and the run file, the draws are those of one
// process, and another number of ranks can resume what is there.
#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include <quasar/predict.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "core/in_step.hpp"

namespace quasar {

struct Durability {
  std::filesystem::path out;          // the run file; records are in `out`.part meanwhile
  bool resume = false;                // go on from what is there; nothing there: start
  bool overwrite = false;             // replace what is there: at once, or at the end of a run that is resumed
  std::int64_t checkpoint_every = 0;  // iterations; 0: about every ten seconds
};

// Before any work. UsageError: there is a run file or an unfinished run, and neither to replace nor to resume it was
// asked for; or it is one of those that are read, which need not be files. DataError: `out` cannot be written.
void check_output(const Durability& durability, std::span<const std::string> inputs = {});

// Whether `out` is the finished run that `wanted` describes, so that resuming has nothing left to do. UsageError: what
// is there was made in another way; the message says what differs.
bool already_finished(const Durability& durability, RunInfo wanted);

struct SamplingJob {
  const Target& target;
  const SamplerEntry& sampler;
  const Config& parameters;
  SampleOptions options;
  RunInfo info;                         // model, data and configuration; the rest is filled in
  const Predictor* held_out = nullptr;  // rows that every draw predicts; null: none
  const Predictor* fitted = nullptr;    // the rows of the data, whose log likelihood is wanted; null: it is not
  Exchange* dealt_over = nullptr;       // the ranks that have a share of the chains each; null: this process has all
  std::vector<RankTimes>* times = nullptr;       // filled by a run in step, where wanted
  std::span<const Index> held_out_numbers = {};  // of the rows that are predicted, as Table has them
};

enum class RunEnd { complete, stopped, stopped_in_warmup };  // the last: no draws, and a run file only of saved warm-up

// The run file holds what was drawn, also of a run that was stopped; that one keeps its records and can be resumed.
// DataError: the disk is full, say; RunError: sampling failed. Either way the records stay. FailedElsewhere: on another
// rank.
RunEnd sample_durably(const SamplingJob& job, const Durability& durability, std::span<ChainProgress> progress,
                      std::stop_token stop);

// A run file, or a run in progress: the folder `out`.part, or `out` itself while there is no such file yet.
Run open_run(const std::filesystem::path& path);

}  // namespace quasar
