// Stan's warm-up schedule: a fast start (step size only), windows that double, a fast end.
#pragma once

#include <cstdint>
#include <vector>

namespace quasar {

struct Windows {
  std::int64_t begin = 0;          // first iteration whose draw counts for the metric
  std::vector<std::int64_t> ends;  // one past the last iteration of each window; empty: too short to learn a metric
};

// 75, doubling from 25, last 50; below 150 steps 15 %, 75 %, 10 %; no metric below 20.
Windows warmup_windows(std::int64_t warmup);

}  // namespace quasar
