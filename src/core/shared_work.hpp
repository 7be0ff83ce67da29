// Threads that share a list of work, the caller's among them: each takes the next piece until there is none.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quasar {

// work(thread, piece). The first exception is thrown on, once the pieces that others have begun are done.
template <class Work>
void share_work(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr problem;
  std::mutex mutex;
  const auto take_pieces = [&](std::size_t thread) {
    try {
      for (std::size_t piece = next++; piece < count; piece = next++) work(thread, piece);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!problem) problem = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) running.emplace_back(take_pieces, t);
    take_pieces(0);
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace quasar
