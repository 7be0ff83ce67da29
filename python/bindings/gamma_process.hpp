// Gamma processes: draws of their atoms, and what is missed of them.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_gamma_process(nanobind::module_& module);

}  // namespace quasar::python
