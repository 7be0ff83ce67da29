// What a run has drawn, as Python reads it.
#pragma once

#include <nanobind/nanobind.h>

#include <quasar/run_data.hpp>

namespace quasar::python {

Run held_in_memory(RunData data);  // keeps the draws for as long as anyone looks at them

void add_run(nanobind::module_& module);

}  // namespace quasar::python
