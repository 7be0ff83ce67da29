// Independent jobs on two threads, in the order of the list.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/shared_work.hpp"

namespace quasar {

// tell hears the name of each job before it runs. The first exception ends the work and is thrown on.
template <class Job, class Name, class Run>
void two_at_a_time(std::vector<Job>& jobs, const Name& name, const Run& run,
                   const std::function<void(std::string_view)>& tell) {
  std::mutex telling;
  share_work(jobs.size(), 2, [&](std::size_t, std::size_t i) {
    {
      const std::lock_guard lock(telling);
      tell(name(jobs[i]));
    }
    run(jobs[i]);
  });
}

}  // namespace quasar
