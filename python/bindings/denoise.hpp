#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_denoise(nanobind::module_& module);

}  // namespace quasar::python
