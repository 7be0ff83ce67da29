#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_topics(nanobind::module_& module);

}  // namespace quasar::python
