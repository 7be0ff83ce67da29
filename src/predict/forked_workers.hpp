// Threads that share a list of work, each with a fork of what does it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/runner.hpp>

#include "core/shared_work.hpp"

namespace quasar {

template <class Worker>
class ForkedWorkers {
 public:
  ForkedWorkers(const Worker& worker, int threads, Index most) {
    const Index wanted = std::min<Index>(threads > 0 ? threads : available_threads(), most);
    for (Index i = 0; i < wanted; ++i) forks_.push_back(worker.fork());
  }

  void each(std::size_t count, const std::function<void(Worker&, std::size_t)>& work) {
    share_work(count, forks_.size(), [&](std::size_t thread, std::size_t piece) { work(*forks_[thread], piece); });
  }

 private:
  std::vector<std::unique_ptr<Worker>> forks_;
};

}  // namespace quasar
