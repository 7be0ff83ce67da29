// The interpreter's lock, taken on any thread in a fraction of a microsecond, and given up while there is other work.
#pragma once

#include <Python.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace quasar::python {

// What the interpreter knows of a thread that it has not made. It would be made and thrown away with every lock, which
// takes several microseconds, unless it is kept until the thread ends.
class KeptThreadState {
 public:
  KeptThreadState() {
    if (PyGILState_GetThisThreadState() != nullptr) return;
    state_ = PyGILState_Ensure();
    kept_ = PyEval_SaveThread();
    of_a_run = true;
  }
  ~KeptThreadState() {
    if (kept_ == nullptr || Py_IsInitialized() == 0) return;
    PyEval_RestoreThread(kept_);
    PyGILState_Release(state_);
  }
  KeptThreadState(const KeptThreadState&) = delete;
  KeptThreadState& operator=(const KeptThreadState&) = delete;

  static inline thread_local bool of_a_run = false;  // this thread is ours, not Python's

 private:
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
  PyThreadState* kept_ = nullptr;
};

class InterpreterLock {
 public:
  InterpreterLock() {
    thread_local const KeptThreadState kept;
    state_ = PyGILState_Ensure();
  }
  ~InterpreterLock() { PyGILState_Release(state_); }
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;

 private:
  PyGILState_STATE state_;
};

// Set when the interpreter begins to end, by the thread that ends it. It waits for the threads of runs; any other is a
// daemon, which must not ask for the lock any more: it would be unwound through code that cannot be.
inline std::atomic<bool> interpreter_is_ending = false;
inline thread_local bool ends_the_interpreter = false;

// Gives the lock up, for work that takes long and does not touch Python.
class InterpreterUnlocked {
 public:
  InterpreterUnlocked() : state_(PyEval_SaveThread()) { ++threads; }
  ~InterpreterUnlocked() {
    const bool daemon = interpreter_is_ending && !ends_the_interpreter && !KeptThreadState::of_a_run;
    if (daemon) --threads;
    while (daemon) std::this_thread::sleep_for(std::chrono::hours(1));  // the process ends meanwhile
    PyEval_RestoreThread(state_);
    --threads;
  }
  InterpreterUnlocked(const InterpreterUnlocked&) = delete;
  InterpreterUnlocked& operator=(const InterpreterUnlocked&) = delete;

  static inline std::atomic<int> threads = 0;  // that have given it up, or wait to have it back

 private:
  PyThreadState* state_;
};

}  // namespace quasar::python
