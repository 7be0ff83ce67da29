#include "job.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <list>
#include <thread>
#include <utility>
#include <variant>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "arrays.hpp"
#include "front/load_model.hpp"
#include "interpreter_lock.hpp"
#include "io/durable_run.hpp"
#include "io/init.hpp"
#include "io/run_file.hpp"
#include "run.hpp"

namespace quasar::python {
namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();

// Every thread that runs a task. Those that have ended are joined when the next begins, all others when the interpreter
// ends, while it can still be called. Threads take the interpreter's lock until their very end, so it must be free
// here.
class RunningTasks {
 public:
  void start(const std::shared_ptr<RunTask>& task) {
    const std::lock_guard lock(mutex_);
    if (interpreter_is_ending) throw RunError("no run can begin while Python ends");
    entries_.remove_if([](Entry& entry) { return entry.task->wait(0) && entry.join(); });
    entries_.push_back({task, std::thread([task] { task->run(); })});
  }

  void end_all() {
    ends_the_interpreter = true;
    interpreter_is_ending = true;
    std::list<Entry> left;
    {
      const std::lock_guard lock(mutex_);
      left.swap(entries_);
    }
    for (Entry& entry : left) entry.task->stop();
    for (Entry& entry : left) entry.join();
    let_daemons_pass();
  }

 private:
  // Those that wait for the interpreter's lock already get it now, while it is free.
  static void let_daemons_pass() {
    for (int i = 0; i < 100 && InterpreterUnlocked::threads > 1; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  struct Entry {
    std::shared_ptr<RunTask> task;
    std::thread thread;
    bool join() {
      thread.join();
      return true;
    }
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

RunningTasks& running_tasks() {
  static auto* const forever = new RunningTasks;  // a thread that is given up may run until the process ends
  return *forever;
}

// A function under the interpreter's lock gains nothing from more threads, and may not be made for them.
GivenSettings completed(const PyTarget& target, GivenSettings given) {
  if (target.calls_python) given.run.emplace("threads", "1");
  for (const auto& [key, value] : target.run) given.run[key] = value;
  given.model = target.parameters;
  return given;
}

Durability durability_of(const Config& run) {
  return {run.text("out"), run.flag("resume"), run.flag("overwrite"), run.integer("checkpoint_every")};
}

// None, a point per chain, or JSON text as --init takes it from a file.
using Start = std::variant<std::monostate, Matrix, std::string>;

std::vector<Vec> initial_points(const PyTarget& target, const Start& start, int chains) {
  if (const auto* text = std::get_if<std::string>(&start)) {
    return parse_json_init("init", *text, *target.for_run(std::make_shared<RaisedError>()), chains);
  }
  std::vector<Vec> points;
  if (const auto* given = std::get_if<Matrix>(&start)) {
    const auto columns = transposed(*given);
    for (Index i = 0; i < columns.cols(); ++i) points.emplace_back(columns.col(i));
  }
  return points;
}

}  // namespace

RunTask::RunTask(const PyTarget& target, const GivenSettings& given, std::vector<Vec> initial)
    : target_(target.for_run(raised_)),
      kept_alive_(share(target.python)),
      settings_(resolve(Task::sample, completed(target, given), nullptr)),
      options_(sample_options(settings_.run)),
      durable_(given.run.contains("out")),
      progress_(static_cast<std::size_t>(options_.chains)) {
  const std::string& init = settings_.run.text("init");
  options_.initial = init.empty() ? std::move(initial) : read_init(init, *target_, options_.chains);
  (void)select_variables(target_->layout(), options_.variables);  // unknown names, before any work
  info_ = describe(settings_, {nullptr, target.name, target.data_hash, target.library_hash}, options_.initial);
  if (durable_) check_output(durability_of(settings_.run), inputs_of(settings_));
}

void RunTask::run() {
  try {
    result_ = durable_ ? draw_durably() : draw_in_memory();
  } catch (...) {
    error_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

Run RunTask::draw_in_memory() const {
  RunData drawn =
      sample(*target_, *settings_.sampler, settings_.sampler_parameters, options_, progress_, stop_.get_token());
  drawn.info.model = info_.model;
  drawn.info.data_source = info_.data_source;
  drawn.info.data_hash = info_.data_hash;
  drawn.info.init_hash = info_.init_hash;
  drawn.info.configuration = info_.configuration;
  drawn.info = quasar::completed(std::move(drawn.info));
  return held_in_memory(std::move(drawn));
}

Run RunTask::draw_durably() const {
  const Durability durability = durability_of(settings_.run);
  if (!already_finished(durability, info_)) {
    sample_durably({*target_, *settings_.sampler, settings_.sampler_parameters, options_, info_}, durability, progress_,
                   stop_.get_token());
  }
  return open_run(durability.out);
}

bool RunTask::wait(double seconds) {
  constexpr double longest = 1e6;  // beyond it the clock may overflow
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return ended_; };
  if (!(seconds < longest)) {
    ended_changed_.wait(lock, ended);
    return true;
  }
  return ended_changed_.wait_for(lock, std::chrono::duration<double>(seconds), ended);
}

std::vector<ChainState> RunTask::progress() const {
  std::vector<ChainState> states;
  for (const ChainProgress& chain : progress_) {
    states.emplace_back(chain.iterations.load(), chain.divergences.load(), chain.step_size.load());
  }
  return states;
}

Run RunTask::result() const {
  if (!error_) return *result_;
  raised_->raise_if_any();
  std::rethrow_exception(error_);
}

Job::Job(std::shared_ptr<RunTask> task) : task_(std::move(task)) {
  const InterpreterUnlocked unlocked;
  running_tasks().start(task_);
}

namespace {

void make_job(Job* job, const PyTarget& target, const std::string& sampler, const Settings& parameters, Settings run,
              const Start& start) {
  run["sampler"] = sampler;
  const Config checked("the run", run_keys(Task::sample), run);
  const auto points = initial_points(target, start, static_cast<int>(checked.integer("chains")));
  new (job) Job(std::make_shared<RunTask>(target, GivenSettings{std::move(run), {}, parameters}, points));
}

bool wait(const Job& job, double seconds) {
  const InterpreterUnlocked unlocked;
  return job.task().wait(seconds);
}

Run result(const Job& job) {
  wait(job, for_ever);
  return job.task().result();
}

}  // namespace

void add_job(nb::module_& module) {
  nb::class_<Job>(module, "Job")
      .def("__init__", make_job, nb::arg("target"), nb::arg("sampler"), nb::arg("parameters"), nb::arg("run"),
           nb::arg("initial").none())
      .def("wait", wait, nb::arg("seconds"), "True: the run has ended.")
      .def("stop", [](const Job& job) { job.task().stop(); })
      .def(
          "progress", [](const Job& job) { return job.task().progress(); },
          "Of each chain: iterations, divergences, step size.")
      .def_prop_ro("schedule",
                   [](const Job& job) {
                     const Schedule& schedule = job.task().schedule();
                     return std::tuple(schedule.warmup, schedule.draws);
                   })
      .def("result", result, "Waits; raises what the run has raised.");
  module.def("_end_all_runs", [] {
    const InterpreterUnlocked unlocked;
    running_tasks().end_all();
  });
  nb::module_::import_("atexit").attr("register")(module.attr("_end_all_runs"));
}

}  // namespace quasar::python
