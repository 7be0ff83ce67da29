// Independent jobs on two threads, in the order of the list.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace quasar {

// tell hears the name of each job before it runs. The first exception ends the work and is thrown on.
template <class Job, class Name, class Run>
void two_at_a_time(std::vector<Job>& jobs, const Name& name, const Run& run,
                   const std::function<void(std::string_view)>& tell) {
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::exception_ptr problem;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      {
        const std::lock_guard lock(telling);
        if (problem) return;
        tell(name(jobs[i]));
      }
      try {
        run(jobs[i]);
      } catch (...) {
        const std::lock_guard lock(telling);
        if (!problem) problem = std::current_exception();
      }
    }
  };
  { const std::jthread first(work), second(work); }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace quasar
