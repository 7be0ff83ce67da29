#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <quasar/runner.hpp>

#include "core/blas_threads.hpp"
#include "core/turns.hpp"

namespace quasar {
namespace {

// The chains take turns, the one furthest behind first, so that they advance together however few the threads are: a
// run that is stopped early then has about as many draws of each.
class Pool {
 public:
  Pool(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, const Checkpointing& checkpointing)
      : chains_(chains), sinks_(sinks), checkpointing_(checkpointing), turns_(chains.size()), states_(chains.size()) {
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (!chains[i]) states_[i] = State::ended;
    }
  }

  void work() {
    for (std::size_t i = 0; take(i);) {
      try {
        give_back(i, run_slice(i));
      } catch (const std::exception&) {
        fail(i, named_error(i, *chains_[i]));
      }
    }
  }

  void request_stop() { stop_.request_stop(); }

  bool result() const {  // after all workers have ended: false when stopped early
    if (error_) std::rethrow_exception(error_);
    return std::all_of(chains_.begin(), chains_.end(), [](const auto& chain) { return !chain || chain->finished(); });
  }

 private:
  enum class State { waiting, running, ended };

  State run_slice(std::size_t i) {
    Chain& chain = *chains_[i];
    const auto began = Turn::Clock::now();
    chain.run_to(end_of_slice(chain.iteration(), turns_[i].slice(), checkpointing_), *sinks_[i], stop_.get_token());
    const bool ended = chain.finished() || stop_.stop_requested();
    if (ended) sinks_[i]->on_end(!chain.finished());
    if (checkpointing_.save && (ended || checkpoint_is_due(i))) save(i);
    turns_[i].fit_slice(Turn::Clock::now() - began);
    return ended ? State::ended : State::waiting;
  }

  bool checkpoint_is_due(std::size_t i) const {
    if (checkpointing_.every > 0) return chains_[i]->iteration() % checkpointing_.every == 0;
    return turns_[i].checkpoint_is_due();
  }

  void save(std::size_t i) {
    checkpointing_.save(i);
    turns_[i].saved();
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

  std::span<const std::unique_ptr<Chain>> chains_;
  std::span<Sink* const> sinks_;
  const Checkpointing& checkpointing_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::vector<Turn> turns_;  // of each chain, touched only by the thread that runs it
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
                std::stop_token stop, const Checkpointing& checkpointing) {
  const SingleThreadedBlas pinned;
  Pool pool(chains, sinks, checkpointing);
  const std::stop_callback forward(stop, [&pool] { pool.request_stop(); });
  const auto wanted = static_cast<std::ptrdiff_t>(threads > 0 ? threads : available_threads());
  const auto here = std::count_if(chains.begin(), chains.end(), [](const auto& chain) { return chain != nullptr; });
  {
    std::vector<std::jthread> workers;
    for (std::ptrdiff_t i = 0; i < std::min(wanted, here); ++i) workers.emplace_back([&pool] { pool.work(); });
  }
  return pool.result();
}

}  // namespace quasar
