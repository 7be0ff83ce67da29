// Shows how far the chains are, on standard error, and turns Ctrl-C into a request to stop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <quasar/sample.hpp>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

namespace quasar::cli {

// Runs beside the sampling, from construction to destruction. On a terminal a bar per chain, redrawn in place; elsewhere
// a plain line each time a chain completes another quarter; nothing when quiet. The first SIGINT or SIGTERM asks the
// chains to stop, the second ends the process.
class ProgressDisplay {
 public:
  ProgressDisplay(std::span<const ChainProgress> chains, const Schedule& schedule, bool quiet, std::stop_source stop);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  void watch();
  void show(bool last);
  void draw_bars();
  void print_quarters();
  std::string seconds_left(std::int64_t iterations) const;

  std::span<const ChainProgress> chains_;
  Schedule schedule_;
  bool quiet_, terminal_;
  std::stop_source stop_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::vector<std::int64_t> quarters_;  // already printed, by chain
  bool drawn_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

bool interrupted_by_user();  // a stop signal has arrived

}  // namespace quasar::cli
