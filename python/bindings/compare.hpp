// Runs side by side.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_compare(nanobind::module_& module);

}  // namespace quasar::python
