// Threads that share a list of work, the caller's among them: each takes the next piece until there is none. The first
// piece is the caller's on any machine, so that what is done on this thread alone is done at least there.
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
  const std::size_t used = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, count));
  std::atomic<std::size_t> next = used;
  std::exception_ptr problem;
  std::mutex mutex;
  const auto take_pieces = [&](std::size_t thread) {
    try {
      for (std::size_t piece = thread; piece < count; piece = next++) work(thread, piece);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!problem) problem = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 1; t < used; ++t) running.emplace_back(take_pieces, t);
    take_pieces(0);
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace quasar
