// A log density of many points at once, as JAX and GPUs like it: the chains' points meet in one batch.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <quasar/core.hpp>

#include "callback.hpp"

namespace quasar::python {

// The batch has a fixed shape, one row per chain, and a chain always has the same row: a compiled function then gives a
// chain the same bits whatever its neighbours do. A row that nobody asks for keeps its last point. Who is in a batch
// may depend on timing; what a chain gets never does.
class Meeting {
 public:
  Meeting(Callback function, Index rows, Index dim);

  Index take_row();  // 0, 1, ... rows - 1, and again from 0
  Eval evaluate(Index row, In x, Out grad);

 private:
  enum class Row { idle, waiting, computing, answered, failed };

  void compute(std::unique_lock<std::mutex>& lock);  // for everyone who waits
  bool everyone_is_here() const;
  bool call();
  void answer(Row outcome);

  Callback function_;
  Index dim_, next_row_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool computing_ = false;
  std::vector<Row> rows_;
  std::vector<bool> came_last_;  // was in the last batch, and so is expected in the next
  struct Numbers {
    std::vector<double> points, values, gradients;
  };
  Numbers numbers_;  // of each row, under the lock
  Numbers batch_;    // of the batch under way, whose leader alone touches it
  ArgumentArray argument_;
};

class BatchedTarget final : public Target {
 public:
  BatchedTarget(std::shared_ptr<Meeting> meeting, Layout layout)
      : meeting_(std::move(meeting)), layout_(std::move(layout)), row_(meeting_->take_row()) {}

  // The chains' rows are taken in the order in which the chains are made.
  std::unique_ptr<Target> fork() const override { return std::make_unique<BatchedTarget>(meeting_, layout_); }
  Index dim() const override { return layout_.size(); }
  Layout layout() const override { return layout_; }
  Threads threads() const override { return Threads::per_chain; }
  Eval logp_grad(In x, Out grad) override { return meeting_->evaluate(row_, x, grad); }

 private:
  std::shared_ptr<Meeting> meeting_;
  Layout layout_;
  Index row_;
};

}  // namespace quasar::python
