// A run on a thread of its own.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

#include <quasar/sample.hpp>

#include "front/run_settings.hpp"
#include "target.hpp"

namespace quasar::python {

using ChainState = std::tuple<std::int64_t, std::int64_t, double>;  // iterations, divergences, step size

// What the thread works on. It may outlive the job: whoever gives a run up does not wait for the function it is in.
class RunTask {
 public:
  // Checks everything. `given.run` may name an output file: the run then survives its process.
  RunTask(const PyTarget& target, const GivenSettings& given, std::vector<Vec> initial);

  void run();  // on a thread of its own, once
  void stop() { stop_.request_stop(); }
  bool wait(double seconds);  // true: it has ended
  std::vector<ChainState> progress() const;
  const Schedule& schedule() const { return options_.schedule; }
  Run result() const;  // after its end; throws what the run has thrown

 private:
  Run draw_in_memory() const;
  Run draw_durably() const;

  std::shared_ptr<RaisedError> raised_ = std::make_shared<RaisedError>();
  std::shared_ptr<const Target> target_;
  SharedObject kept_alive_;  // what the target needs of Python
  RunSettings settings_;
  SampleOptions options_;
  RunInfo info_;
  bool durable_;
  mutable std::vector<ChainProgress> progress_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::optional<Run> result_;
  std::exception_ptr error_;
};

class Job {
 public:
  explicit Job(std::shared_ptr<RunTask> task);  // starts it
  ~Job() { task_->stop(); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  RunTask& task() const { return *task_; }

 private:
  std::shared_ptr<RunTask> task_;
};

void add_job(nanobind::module_& module);

}  // namespace quasar::python
