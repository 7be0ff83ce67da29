// Seconds of work since it was made: of this program alone, however busy the machine is with others.
#pragma once

#include <ctime>

namespace quasar {

class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

}  // namespace quasar
