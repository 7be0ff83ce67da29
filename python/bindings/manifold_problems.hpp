// Problems on manifolds that are solved by name: the mean of covariance matrices, principal components, Procrustes.
#pragma once

#include <nanobind/nanobind.h>

namespace quasar::python {

void add_manifold_problems(nanobind::module_& module);

}  // namespace quasar::python
