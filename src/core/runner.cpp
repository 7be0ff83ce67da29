#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"

namespace quasar {
namespace {

// The chains take turns, the one furthest behind first, so that they advance together however few the threads are: a
// run that is stopped early then has about as many draws of each.
class Pool {
 public:
  Pool(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks)
      : chains_(chains), sinks_(sinks), states_(chains.size(), State::waiting) {}

  void work() {
    for (std::size_t i = 0; take(i);) {
      try {
        give_back(i, run_slice(i));
      } catch (const std::bad_alloc&) {
        fail(i, std::current_exception());
      } catch (const std::exception& error) {
        const auto where = fmt::format("chain {}, iteration {}: ", i + 1, chains_[i]->iteration() + 1);
        fail(i, std::make_exception_ptr(RunError(where + error.what())));
      }
    }
  }

  void request_stop() { stop_.request_stop(); }

  bool result() const {  // after all workers have ended: false when stopped early
    if (error_) std::rethrow_exception(error_);
    return std::all_of(chains_.begin(), chains_.end(), [](const auto& chain) { return chain->finished(); });
  }

 private:
  enum class State { waiting, running, ended };

  State run_slice(std::size_t i) {
    Chain& chain = *chains_[i];
    chain.run_to(chain.iteration() + slice, *sinks_[i], stop_.get_token());
    if (!chain.finished() && !stop_.stop_requested()) return State::waiting;
    sinks_[i]->on_end(!chain.finished());
    return State::ended;
  }

  bool take(std::size_t& chosen) {
    const std::lock_guard lock(mutex_);
    bool found = false;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (states_[i] != State::waiting) continue;
      if (!found || chains_[i]->iteration() < chains_[chosen]->iteration()) chosen = i;
      found = true;
    }
    if (found) states_[chosen] = State::running;
    return found;
  }

  void give_back(std::size_t i, State state) {
    const std::lock_guard lock(mutex_);
    states_[i] = state;
  }

  void fail(std::size_t i, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    states_[i] = State::ended;
    if (!error_) error_ = std::move(error);
    stop_.request_stop();
  }

  static constexpr std::int64_t slice = 25;  // iterations

  std::span<const std::unique_ptr<Chain>> chains_;
  std::span<Sink* const> sinks_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::vector<State> states_;
  std::exception_ptr error_;
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
  const SingleThreadedBlas pinned;
  Pool pool(chains, sinks);
  const std::stop_callback forward(stop, [&pool] { pool.request_stop(); });
  const auto wanted = static_cast<std::size_t>(threads > 0 ? threads : available_threads());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(wanted, chains.size()); ++i) workers.emplace_back([&pool] { pool.work(); });
  }
  return pool.result();
}

}  // namespace quasar
