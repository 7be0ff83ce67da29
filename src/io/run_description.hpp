// What stands in the folder of an unfinished run beside its draws: enough to read them, and to know whether another run
// would have made the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <quasar/run_data.hpp>

#include "predict/held_out.hpp"

namespace quasar {

struct RunDescription {
  RunHeader header;      // without what is not yet known: tuning, divergences, moments (but their layout), predictions
  HeldOutRows held_out;  // empty: nothing is predicted
  int chains = 0;
  Index dim = 0;  // of a divergence's position
  bool save_warmup = false;
  bool replace = false;  // the finished run may take the place of an older file

  bool keeps_moments() const { return !header.moments.layout.variables.empty(); }
  bool predicts() const { return !held_out.observed.empty(); }
};

std::string to_text(const RunDescription& description);                            // JSON
RunDescription parse_description(std::string_view text, const std::string& name);  // DataError: damaged

std::uint64_t identity(std::string_view text);  // tells one run from another
std::uint64_t identity(const RunDescription& description);

// In what the two runs differ that decides their draws, one phrase each: "draws: 1000 there, 2000 here". Threads,
// paths and the like do not count; data and initial points count by content.
std::vector<std::string> differences(const RunInfo& there, const RunInfo& here);

}  // namespace quasar
