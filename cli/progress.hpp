// Shows how far the chains are, on standard error, and turns Ctrl-C into a request to stop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <quasar/sample.hpp>

namespace quasar::cli {

struct ProgressWords {
  std::string_view one = "chain";  // what is numbered from 1; empty: there is one, which needs no name
  std::string_view many = "iterations";
};

// Runs beside the sampling, from construction to destruction. On a terminal a bar per chain, redrawn in place;
// elsewhere (or where the bars do not fit) a plain line each time a chain completes another quarter;
// nothing when quiet. The first SIGINT, SIGTERM, SIGHUP or SIGUSR1 asks the chains to stop, the second ends the
// process.
class ProgressDisplay {
 public:
  ProgressDisplay(std::span<const ChainProgress> chains, const Schedule& schedule, bool quiet, std::stop_source stop,
                  ProgressWords words = {});
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  void watch();
  void show();
  void draw_bars();
  void print_quarters();
  std::string time_left(std::size_t chain, std::int64_t iterations);
  std::string name_of(std::size_t chain) const;

  std::span<const ChainProgress> chains_;
  Schedule schedule_;
  ProgressWords words_;
  bool quiet_, bars_;
  std::stop_source stop_;
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> began_;  // by chain: when it was last seen not yet started
  std::vector<std::int64_t> quarters_;    // by chain: already printed
  bool drawn_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

bool interrupted_by_user();  // a stop signal has arrived

}  // namespace quasar::cli
