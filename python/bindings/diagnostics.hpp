// The diagnostics of draws as functions of arrays (chain, draw).
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_diagnostics(nanobind::module_& module);

}  // namespace quasar::python
