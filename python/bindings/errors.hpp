// Quasar's errors as Python exceptions, and the one with which a function rejects a point.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_errors(nanobind::module_& module);
nanobind::handle reject_type();  // quasar.Reject

}  // namespace quasar::python
