// The states of a time series.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_segment(nanobind::module_& module);

}  // namespace quasar::python
