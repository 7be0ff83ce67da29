// A run as CmdStan would have written it: one CSV file per chain that cmdstanpy, R's posterior and rstan read.
//
//   base_1.csv ...             configuration in comments, header, draws; in between the step size and the metric
//   base_1_metric.json ...     step size and metric of one chain, as CmdStan's metric_file (samplers of trajectories)
//   base_config.json           the configuration once more, and under "quasar" what Stan CSV has no place for: data
//                              hash, labels of dimensions, scales of columns, the sampler's own metric
//
// Elements are called `A.1.2`, counted from 1, and stand with the first index fastest.
#pragma once

#include <filesystem>
#include <vector>

#include <quasar/layout.hpp>
#include <quasar/run_data.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

// Every file that write_stan_csv will write. UsageError: this run has no place in the format.
std::vector<std::filesystem::path> stan_csv_files(const Run& run, const std::filesystem::path& base);

// All files or none (unless the disk fails while they are put in place). UsageError as above, or a variable whose name
// Stan could not have. DataError: a file cannot be written.
void write_stan_csv(const Run& run, const Selection& selection, const std::filesystem::path& base, IfExists if_exists);

}  // namespace quasar
