// How chains take turns: in slices of iterations that fit themselves to the speed of an iteration, with checkpoints
// between them.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <new>

#include <quasar/chain.hpp>
#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

namespace quasar {

class Turn {  // of one chain
 public:
  using Clock = std::chrono::steady_clock;

  std::int64_t slice() const { return slice_; }

  // Long enough that taking turns costs nothing, short enough that the chains stay together.
  void fit_slice(Clock::duration took) {
    if (took < shortest_turn) slice_ = std::min(2 * slice_, longest_slice);
    if (took > 4 * shortest_turn) slice_ = std::max<std::int64_t>(slice_ / 2, 1);
  }

  bool checkpoint_is_due() const { return Clock::now() - saved_ >= checkpoint_interval; }
  void saved() { saved_ = Clock::now(); }

 private:
  static constexpr auto shortest_turn = std::chrono::milliseconds(5);
  static constexpr std::int64_t longest_slice = 1 << 12;
  static constexpr auto checkpoint_interval = std::chrono::seconds(10);

  std::int64_t slice_ = 1;  // iterations
  Clock::time_point saved_ = Clock::now();
};

// Checkpoints by count are at multiples of `every`, however long a slice is.
inline std::int64_t end_of_slice(std::int64_t from, std::int64_t slice, const Checkpointing& checkpointing) {
  if (!checkpointing.save || checkpointing.every == 0) return from + slice;
  return std::min(from + slice, (from / checkpointing.every + 1) * checkpointing.every);
}

// The error that is being handled, with the chain and the iteration it is of, unless it is of neither.
inline std::exception_ptr named_error(std::size_t i, const Chain& chain) {
  const auto where = [&] { return fmt::format("chain {}, iteration {}: ", i + 1, chain.iteration() + 1); };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return std::current_exception();
  } catch (const DataError&) {
    return std::current_exception();
  } catch (const Diverged& error) {
    return std::make_exception_ptr(Diverged(where() + error.what(), chain.iteration() + 1));
  } catch (const std::exception& error) {
    return std::make_exception_ptr(RunError(where() + error.what()));
  }
}

}  // namespace quasar
