// Threads that share a list of work. Each has a fork of what does it, and takes the next piece until there is none.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/runner.hpp>

namespace quasar {

template <class Worker>
class ForkedWorkers {
 public:
  ForkedWorkers(const Worker& worker, int threads, Index most) {
    const Index wanted = std::min<Index>(threads > 0 ? threads : available_threads(), most);
    for (Index i = 0; i < wanted; ++i) forks_.push_back(worker.fork());
  }

  void each(std::size_t count, const std::function<void(Worker&, std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::mutex mutex;
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < std::min(forks_.size(), count); ++t) {
        threads.emplace_back([&, t] {
          try {
            for (std::size_t i = next++; i < count; i = next++) work(*forks_[t], i);
          } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
          }
        });
      }
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  std::vector<std::unique_ptr<Worker>> forks_;
};

}  // namespace quasar
