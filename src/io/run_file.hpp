// The run file: netCDF-4 in the ArviZ schema, so that ArviZ and xarray read it as it is.
//
//   /                        attributes: RunInfo, quasar_format
//   /posterior               one variable per model variable, (chain, draw, its own axes), last index fastest (C order)
//   /sample_stats            one variable per statistic, (chain, draw)
//   /warmup_posterior, /warmup_sample_stats          when the warm-up was saved
//   /divergences             when there were any: chain, iteration, warmup, position
//
// chain, draw and plain axes carry integer coordinates from 0, labelled axes strings. Whole numbers are int64, truth
// values int8 with the attribute dtype = "bool" (netCDF has none; xarray undoes it). Numbers are stored contiguous and
// plain: deflate at level 1 with shuffle saves a tenth of normal draws and takes ten times as long to write.
//
// The netCDF library is not thread-safe: one call at a time in a process.
#pragma once

#include <filesystem>

#include <quasar/run_data.hpp>

namespace quasar {

// Replaces `path` in one step: a temporary file in the same folder, synced, then renamed. Chains of unequal length are
// cut to the shortest and the run marked as stopped early. DataError: the file cannot be written.
void write_run(const std::filesystem::path& path, const RunData& run);

// DataError: no such file, not netCDF, damaged, not written by Quasar or by a newer one.
RunData read_run(const std::filesystem::path& path);

}  // namespace quasar
