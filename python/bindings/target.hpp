// A density as Python holds it: how the target of a run is made, and what the run file will say of it.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "callback.hpp"

namespace quasar::python {

struct PyTarget {
  // For one run, whose errors go to `raised`; `python` is what stands below.
  using Make = std::function<std::shared_ptr<const Target>(nb::handle python, std::shared_ptr<RaisedError> raised)>;

  std::string name;  // of the model; a function's own name
  Make make;
  nb::object python = {};         // what it calls: functions, seen here by the garbage collector
  bool calls_python = false;      // at every evaluation
  Settings run = {};              // what it says in [run]: model, data
  Settings parameters = {};       // in [model]
  std::string data_hash = {};     // empty without data
  std::string library_hash = {};  // of a compiled Stan program

  std::shared_ptr<const Target> for_run(std::shared_ptr<RaisedError> raised) const {
    return make(python, std::move(raised));
  }
};

void add_targets(nb::module_& module);

}  // namespace quasar::python
