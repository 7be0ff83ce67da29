// The run file: netCDF-4 in the ArviZ schema, so that ArviZ and xarray read it as it is.
//
//   /                        attributes: RunInfo, quasar_format; check, where there was one (RunHeader::check)
//   /posterior               one variable per model variable, (chain, draw, its own axes), last index fastest (C order)
//   /sample_stats            one variable per statistic, (chain, draw)
//   /warmup_posterior, /warmup_sample_stats          when the warm-up was saved
//   /constant_data           what the model keeps of its data: the scales of standardised columns, for instance
//   /tuning                  step_size (chain), inverse_metric (chain, coordinate) or (chain, coordinate, coordinate_2)
//   /posterior_moments       of a run that did not keep every draw: io/moments_group.hpp
//   /predictions, /held_out_trace      of held-out rows, by row, and how they became better, (chain, draw)
//   /log_likelihood          on request: y, (chain, draw, row)
//   /divergences             when there were any: chain, iteration, warmup, position
//
// chain, draw and plain axes carry integer coordinates from 0, labelled axes strings. Whole numbers are int64, truth
// values int8 with the attribute dtype = "bool" (netCDF has none; xarray undoes it). Numbers are stored contiguous and
// plain: deflate at level 1 with shuffle saves a tenth of normal draws and takes ten times as long to write. The last
// bytes are a checksum (io/seal.hpp), which netCDF readers never look at.
//
// The netCDF library is not thread-safe, so these functions and the draws of open files take turns in a process.
#pragma once

#include <filesystem>

#include <quasar/predict.hpp>
#include <quasar/run_data.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

// What would keep write_run from writing `path`, before there is anything to lose. DataError: no or no writable folder,
// something there that is not a regular file, an empty name.
void check_writable(const std::filesystem::path& path);

// Adds what is written of every run: the version of this build and the time, unless they are there already.
RunInfo completed(RunInfo info);

// Writes `path` in one step: a temporary file, synced, then renamed. Chains of unequal length are cut to the shortest,
// and a run in memory is then marked as stopped early. DataError: the file cannot be written; or it was written but is
// not to replace the one that is there (or cannot), and is kept under the temporary name in the message. fitted: the
// rows of the data, whose log likelihood is written too.
void write_run(AtomicFile file, const RunHeader& header, const DrawSource& draws,
               IfExists if_exists = IfExists::replace, const Predictor* fitted = nullptr);
void write_run(const std::filesystem::path& path, const RunData& run, IfExists if_exists = IfExists::replace);

// Adds what --check found, a JSON object, to a run file or puts it in the place of what an earlier check did. A copy
// beside it is changed and then takes its place, so that the file is whole at any moment. DataError: no room for the
// copy, say; the file is as it was.
void write_check(const std::filesystem::path& path, const std::string& check);

// DataError: no such file, damaged, not netCDF, not written by Quasar or by a newer one.
Run open_run_file(const std::filesystem::path& path);  // its draws stay in the file
RunData read_run(const std::filesystem::path& path);   // and here all come into memory

}  // namespace quasar
