// Solvers on manifolds for costs that are written in Python, and checks of such costs.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_minimize(nanobind::module_& module);

}  // namespace quasar::python
