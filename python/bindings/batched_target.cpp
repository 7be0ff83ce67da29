#include "batched_target.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <quasar/errors.hpp>

#include "targets/checked.hpp"

namespace quasar::python {

// Longer than a chain needs between two gradients, short beside the loss when one has ended and does not come.
constexpr auto patience = std::chrono::microseconds(200);

Meeting::Meeting(Callback function, Index rows, Index dim)
    : function_(std::move(function)),
      dim_(dim),
      rows_(static_cast<std::size_t>(rows), Row::idle),
      came_last_(rows_.size(), false),
      numbers_{std::vector<double>(static_cast<std::size_t>(rows * dim)), std::vector<double>(rows_.size()),
               std::vector<double>(static_cast<std::size_t>(rows * dim))},
      batch_(numbers_),
      argument_("float64", {rows, dim}) {}

Index Meeting::take_row() {
  const std::lock_guard lock(mutex_);
  return std::exchange(next_row_, (next_row_ + 1) % std::ssize(rows_));
}

bool Meeting::everyone_is_here() const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (came_last_[i] && rows_[i] != Row::waiting) return false;
  }
  return true;
}

// What was raised is kept for the end of the run.
bool Meeting::call() {
  const InterpreterLock interpreter;
  try {
    function_.many(argument_.fill(batch_.points.data()), batch_.values, batch_.gradients);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void Meeting::answer(Row outcome) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] != Row::computing) continue;
    rows_[i] = outcome;
    numbers_.values[i] = batch_.values[i];
    const Index begin = static_cast<Index>(i) * dim_;
    std::copy_n(batch_.gradients.begin() + begin, dim_, numbers_.gradients.begin() + begin);
  }
}

void Meeting::compute(std::unique_lock<std::mutex>& lock) {
  computing_ = true;
  changed_.wait_for(lock, patience, [this] { return everyone_is_here(); });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    came_last_[i] = rows_[i] == Row::waiting;
    if (came_last_[i]) rows_[i] = Row::computing;
  }
  batch_.points = numbers_.points;
  lock.unlock();
  const bool answered = call();
  lock.lock();
  answer(answered ? Row::answered : Row::failed);
  computing_ = false;
  changed_.notify_all();
}

Eval Meeting::evaluate(Index row, In x, Out grad) {
  std::unique_lock lock(mutex_);
  Row& mine = rows_[static_cast<std::size_t>(row)];
  changed_.wait(lock, [&] { return mine == Row::idle; });
  std::copy_n(x.data(), dim_, numbers_.points.begin() + row * dim_);
  mine = Row::waiting;
  changed_.notify_all();
  while (mine == Row::waiting || mine == Row::computing) {
    if (computing_) {
      changed_.wait(lock);
    } else {
      compute(lock);
    }
  }
  const bool failed = std::exchange(mine, Row::idle) == Row::failed;
  changed_.notify_all();
  if (failed) throw RunError("the function of many points failed");
  std::copy_n(numbers_.gradients.begin() + row * dim_, dim_, grad.data());
  return checked(numbers_.values[static_cast<std::size_t>(row)]);
}

}  // namespace quasar::python
