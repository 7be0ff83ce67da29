#include "adapt/windows.hpp"

namespace quasar {

Windows warmup_windows(std::int64_t warmup) {
  std::int64_t start = 75, size = 25, last = 50;
  if (warmup < 20) return {};
  if (warmup < start + size + last) {
    start = warmup * 15 / 100;
    last = warmup / 10;
    size = warmup - start - last;
  }
  Windows windows{start, {}};
  const std::int64_t slow_end = warmup - last;
  for (std::int64_t at = start; at < slow_end; size *= 2) {
    // A window that would leave too little room for its successor, twice as long, takes all that is left.
    at = at + 3 * size > slow_end ? slow_end : at + size;
    windows.ends.push_back(at);
  }
  return windows;
}

}  // namespace quasar
