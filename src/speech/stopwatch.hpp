// How long work has taken, by all the processes that went on with it.
#pragma once

#include <chrono>

namespace quasar {

class Stopwatch {
 public:
  explicit Stopwatch(double before = 0) : before_(before) {}
  double seconds() const { return before_ + std::chrono::duration<double>(Clock::now() - began_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double before_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace quasar
