#include <cblas.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <quasar/runner.hpp>
#include <thread>
#include <vector>

namespace quasar {
namespace {

constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();

// The chains that are left to run, and the first error.
struct Pool {
  std::span<const std::unique_ptr<Chain>> chains;
  std::span<Sink* const> sinks;
  std::stop_source stop;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;

  void work() {
    for (std::size_t i = next++; i < chains.size(); i = next++) {
      try {
        chains[i]->run_to(to_the_end, *sinks[i], stop.get_token());
        sinks[i]->on_end(stop.stop_requested());
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        stop.request_stop();
      }
    }
  }
};

}  // namespace

int available_threads() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) return std::max(1, CPU_COUNT(&cpus));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool run_chains(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, int threads,
                std::stop_token stop) {
  openblas_set_num_threads(1);  // one process, one thread pool
  Pool pool{chains, sinks, {}, 0, {}, {}};
  const std::stop_callback forward(stop, [&pool] { pool.stop.request_stop(); });
  const auto wanted = static_cast<std::size_t>(threads > 0 ? threads : available_threads());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(wanted, chains.size()); ++i) workers.emplace_back([&pool] { pool.work(); });
  }
  if (pool.error) std::rethrow_exception(pool.error);
  return !pool.stop.stop_requested();
}

}  // namespace quasar
