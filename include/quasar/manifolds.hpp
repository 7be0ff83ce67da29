// quasar/manifolds.hpp -- the manifolds there are. Sizes that make no sense throw UsageError.
#pragma once

#include <memory>
#include <vector>

#include <quasar/manifold.hpp>

namespace quasar {

using ManifoldPtr = std::shared_ptr<const Manifold>;

ManifoldPtr euclidean(Index rows, Index cols = 1);
ManifoldPtr sphere(Index rows, Index cols = 1);  // matrices of Frobenius norm one
ManifoldPtr oblique(Index rows, Index cols);     // each column has norm one
ManifoldPtr spd(Index n);                        // symmetric positive definite, the affine-invariant metric
ManifoldPtr spd_log_euclidean(Index n);          // the same matrices, flat: distances between their logarithms
ManifoldPtr stiefel(Index n, Index p);           // n x p with orthonormal columns
ManifoldPtr grassmann(Index n, Index p);         // subspaces of dimension p, each given by an orthonormal basis
ManifoldPtr rotations(Index n);                  // SO(n)
ManifoldPtr hyperbolic(Index n);                 // n + 1 numbers, -x_0^2 + x_1^2 + ... + x_n^2 = -1 and x_0 > 0
ManifoldPtr power(const ManifoldPtr& base, Index copies);  // points side by side: rows x (copies cols)
ManifoldPtr product(std::vector<ManifoldPtr> parts);  // points below each other in one column, each column by column

}  // namespace quasar
