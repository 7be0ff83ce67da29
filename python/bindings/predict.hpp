// What a run says of rows that it may never have seen.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_predict(nanobind::module_& module);

}  // namespace quasar::python
