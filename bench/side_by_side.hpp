// Two ways of doing the same work, timed in turns in one run.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace quasar {

template <class Work>
double seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The best of several rounds; both take part in every round, so that neither has the quieter machine.
template <class Work, class Plain>
void report(const char* name, double bar, Work work, Plain plain, const char* plain_name = "plain loops") {
  double best_work = 1e300, best_plain = 1e300;
  for (int round = 0; round < 15; ++round) {
    best_work = std::min(best_work, seconds(work));
    best_plain = std::min(best_plain, seconds(plain));
  }
  fmt::print("{:<18} {:>7.2f} ms   {} {:>7.2f} ms   ratio {:.2f}   bar {}\n", name, 1e3 * best_work, plain_name,
             1e3 * best_plain, best_work / best_plain, bar);
}

}  // namespace quasar
