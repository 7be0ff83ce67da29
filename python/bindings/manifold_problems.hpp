// Problems on manifolds that are solved by name: the mean of covariance matrices, principal components, Procrustes.
#pragma once

#include <nanobind/nanobind.h>

#include "solvers/manifold/minimize.hpp"

namespace quasar::python {

bool go_on_unless_interrupted(const Progress& at);  // raises what Ctrl-C raises; needs no lock

void add_manifold_problems(nanobind::module_& module);

}  // namespace quasar::python
