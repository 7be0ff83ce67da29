// While each rank runs chains of its own: a thread that keeps the ranks in touch. A stop request or an error of one
// stops all, and rank 0 sees how far every chain is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>

#include <quasar/exchange.hpp>
#include <quasar/sample.hpp>

namespace quasar {

// From construction to destruction it alone uses the exchange. The destructor waits until all ranks have come to
// theirs; destroyed by an error, it stops the others.
class RankWatch {
 public:
  // Chain i is run by rank i mod size. `progress` has an entry per chain, or none.
  RankWatch(Exchange& exchange, std::span<ChainProgress> progress, std::stop_token stop);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  std::stop_token stop() const { return all_stop_.get_token(); }

 private:
  void watch();
  bool tell();  // false: all ranks have ended
  bool is_here(std::size_t chain) const;

  Exchange& exchange_;
  std::span<ChainProgress> progress_;
  std::stop_token stop_;
  std::stop_source all_stop_;
  int errors_before_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false, failed_ = false;
  std::jthread thread_;
};

}  // namespace quasar
