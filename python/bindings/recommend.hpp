// The best items for users by a run of ratings.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_recommend(nanobind::module_& module);

}  // namespace quasar::python
