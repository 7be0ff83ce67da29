// Seconds of work since it was made: of this thread alone, however busy the machine and the program are.
#pragma once

#include <ctime>

namespace quasar {

class ThreadStopwatch {
 public:
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double begin_ = now();
};

}  // namespace quasar
