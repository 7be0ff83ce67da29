// Manifolds as the package sees them: a point is the column of all its numbers, each matrix column by column.
#pragma once

#include <quasar/manifolds.hpp>

#include "arrays.hpp"

namespace quasar::python {

struct PyManifold {
  ManifoldPtr manifold;

  const Manifold* operator->() const { return manifold.get(); }
};

Eigen::Map<const Mat> as_matrix(const Manifold& manifold, const Vector& numbers);  // UsageError: not as many
NewArray<double> as_array(MatIn matrix);

void add_manifolds(nb::module_& module);

}  // namespace quasar::python
