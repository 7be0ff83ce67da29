#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
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
  Pool(std::span<const std::unique_ptr<Chain>> chains, std::span<Sink* const> sinks, const Checkpointing& checkpointing)
      : chains_(chains), sinks_(sinks), checkpointing_(checkpointing), turns_(chains.size()) {}

  void work() {
    for (std::size_t i = 0; take(i);) {
      try {
        give_back(i, run_slice(i));
      } catch (const std::bad_alloc&) {
        fail(i, std::current_exception());
      } catch (const DataError&) {
        fail(i, std::current_exception());
      } catch (const Diverged& error) {
        fail(i, std::make_exception_ptr(Diverged(where(i) + error.what(), chains_[i]->iteration() + 1)));
      } catch (const std::exception& error) {
        fail(i, std::make_exception_ptr(RunError(where(i) + error.what())));
      }
    }
  }

  void request_stop() { stop_.request_stop(); }

  bool result() const {  // after all workers have ended: false when stopped early
    if (error_) std::rethrow_exception(error_);
    return std::all_of(chains_.begin(), chains_.end(), [](const auto& chain) { return chain->finished(); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { waiting, running, ended };

  // Of one chain, touched only by the thread that runs it (its state: under the lock).
  struct Turn {
    State state = State::waiting;
    std::int64_t slice = 1;  // iterations
    Clock::time_point saved = Clock::now();
  };

  std::string where(std::size_t i) const {
    return fmt::format("chain {}, iteration {}: ", i + 1, chains_[i]->iteration() + 1);
  }

  State run_slice(std::size_t i) {
    Chain& chain = *chains_[i];
    const auto began = Clock::now();
    chain.run_to(end_of_slice(i), *sinks_[i], stop_.get_token());
    const bool ended = chain.finished() || stop_.stop_requested();
    if (ended) sinks_[i]->on_end(!chain.finished());
    if (checkpointing_.save && (ended || checkpoint_is_due(i))) save(i);
    fit_slice(turns_[i].slice, Clock::now() - began);
    return ended ? State::ended : State::waiting;
  }

  // Checkpoints by count are at multiples of `every`, however long a slice is.
  std::int64_t end_of_slice(std::size_t i) const {
    const std::int64_t from = chains_[i]->iteration(), until = from + turns_[i].slice;
    if (!checkpointing_.save || checkpointing_.every == 0) return until;
    return std::min(until, (from / checkpointing_.every + 1) * checkpointing_.every);
  }

  bool checkpoint_is_due(std::size_t i) const {
    if (checkpointing_.every > 0) return chains_[i]->iteration() % checkpointing_.every == 0;
    return Clock::now() - turns_[i].saved >= checkpoint_interval;
  }

  void save(std::size_t i) {
    checkpointing_.save(i);
    turns_[i].saved = Clock::now();
  }

  // Long enough that taking turns costs nothing, short enough that the chains stay together.
  static void fit_slice(std::int64_t& slice, Clock::duration took) {
    if (took < shortest_turn) slice = std::min(2 * slice, longest_slice);
    if (took > 4 * shortest_turn) slice = std::max<std::int64_t>(slice / 2, 1);
  }

  bool take(std::size_t& chosen) {
    const std::lock_guard lock(mutex_);
    bool found = false;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (turns_[i].state != State::waiting) continue;
      if (!found || chains_[i]->iteration() < chains_[chosen]->iteration()) chosen = i;
      found = true;
    }
    if (found) turns_[chosen].state = State::running;
    return found;
  }

  void give_back(std::size_t i, State state) {
    const std::lock_guard lock(mutex_);
    turns_[i].state = state;
  }

  void fail(std::size_t i, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    turns_[i].state = State::ended;
    if (!error_) error_ = std::move(error);
    stop_.request_stop();
  }

  static constexpr auto shortest_turn = std::chrono::milliseconds(5);
  static constexpr std::int64_t longest_slice = 1 << 12;
  static constexpr auto checkpoint_interval = std::chrono::seconds(10);

  std::span<const std::unique_ptr<Chain>> chains_;
  std::span<Sink* const> sinks_;
  const Checkpointing& checkpointing_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::vector<Turn> turns_;
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
  const auto wanted = static_cast<std::size_t>(threads > 0 ? threads : available_threads());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(wanted, chains.size()); ++i) workers.emplace_back([&pool] { pool.work(); });
  }
  return pool.result();
}

}  // namespace quasar
