// What Stan programs print, kept until Python asks for it. It could be passed on at once only under the interpreter's
// lock, which another thread may hold while it waits for the same program.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_messages(nanobind::module_& module);

}  // namespace quasar::python
