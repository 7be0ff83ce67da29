// A Python function called from any thread, in about a microsecond.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quasar/core.hpp>

#include "interpreter_lock.hpp"

namespace quasar::python {

namespace nb = nanobind;

// A Python object that is let go under the interpreter's lock, on whichever thread that happens.
using SharedObject = std::shared_ptr<nb::object>;
SharedObject share(nb::object object);

std::string text_of(nb::handle object);  // str(object), also where that has no UTF-8 form

// The exception that a user's function has raised in a run, kept to be raised where the user is. Needs the
// interpreter's lock.
class RaisedError {
 public:
  void keep(const nb::python_error& error);  // the first
  void raise_if_any() const;

 private:
  SharedObject exception_;
};

// A NumPy array that is handed to a function again and again; a new one where the function has kept the last.
// Everything but copying and the end needs the interpreter's lock.
class ArgumentArray {
 public:
  ArgumentArray(const char* dtype, std::vector<Index> shape) : dtype_(dtype), shape_(std::move(shape)) { allocate(); }
  ArgumentArray(const ArgumentArray& other);  // the same shape, memory of its own
  ArgumentArray& operator=(const ArgumentArray&) = delete;
  ~ArgumentArray();

  PyObject* fill(const void* bytes);  // all of it; what is handed to the function
  void resize(Index size);            // of a vector

 private:
  void allocate();
  bool is_as_it_was() const;  // nobody else holds it, or has changed its shape

  const char* dtype_;
  std::vector<Index> shape_;
  nb::object array_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// (log density, gradient) as a function returns them. Rejected points come back as not ok.
class Callback {
 public:
  Callback(nb::object function, std::shared_ptr<RaisedError> raised);

  // Calls function(arguments...) and copies what it returns: the number, and `gradient.size()` numbers. Takes the
  // lock's presence for granted. RunError: the function raised, or returned something else.
  Eval operator()(std::span<PyObject* const> arguments, std::span<double> gradient);
  // The same for a function of many points: as many numbers as there are points.
  void many(PyObject* points, std::span<double> logp, std::span<double> gradients);

  const std::string& rejection() const { return rejection_; }

 private:
  nb::object call(std::span<PyObject* const> arguments);
  [[noreturn]] void fail(const nb::python_error& error);

  SharedObject function_;
  std::shared_ptr<RaisedError> raised_;
  std::string rejection_;
};

}  // namespace quasar::python
