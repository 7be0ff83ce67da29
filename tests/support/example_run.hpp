// A small run in which every number is different, so that no exchange of two goes unnoticed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <quasar/run_data.hpp>

namespace quasar::test {

inline std::vector<ChainDraws> numbered_chains(Index draws, double first) {
  std::vector<ChainDraws> chains(3);
  double next = first;
  for (ChainDraws& chain : chains) {
    for (Index i = 0; i < draws; ++i) {
      std::vector<double> values;  // mu, theta[3], A[2,3], z[2]
      for (int k = 0; k < 10; ++k) values.push_back(next += 0.125);
      for (int k = 0; k < 2; ++k) values.push_back(std::floor(next += 1));
      chain.append(values, std::vector<double>{next += 0.25, double(i % 3 == 1), std::floor(next)});
    }
  }
  return chains;
}

inline RunData example_run(Index draws = 5) {
  RunData run;
  run.info.model = "eight-schools";
  run.info.sampler = "nuts";
  run.info.data_source = "données.csv";
  run.info.data_hash = "fnv1a64:cbf29ce484222325";
  run.info.configuration = "[" + std::string(200000, '1') + "]";  // more than the 64 KiB of a plain HDF5 attribute
  run.info.seed = std::numeric_limits<std::uint64_t>::max();
  run.info.schedule = {20, 10, 2};
  run.info.gradient_evaluations = 123456789012345;
  run.info.warmup_seconds = 0.5;
  run.info.sampling_seconds = 1.25;
  run.layout.variables = {
      {"mu", {}, {}}, {"theta", {3}, {"school"}}, {"A", {2, 3}, {"row", "school"}}, {"z", {2}, {}, true}};
  run.layout.coords["school"] = {"Choate", "St. Paul’s", ""};
  run.stats = {{"lp", StatSpec::real}, {"diverging", StatSpec::boolean}, {"n_steps", StatSpec::integer}};
  run.sampling = numbered_chains(draws, 100);
  return run;
}

}  // namespace quasar::test
