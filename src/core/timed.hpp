// Adds the time that it lives to a sum of seconds.
#pragma once

#include <chrono>

namespace quasar {

class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace quasar
