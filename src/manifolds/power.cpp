// Copies of one manifold: many covariance matrices, many rotations.
#include <fmt/core.h>

#include "manifolds/composite.hpp"
#include "manifolds/sizes.hpp"

namespace quasar {

ManifoldPtr power(const ManifoldPtr& base, Index copies) {
  require_size(copies > 0, "power: needs at least one copy");
  return repeated(fmt::format("power({}, {})", base->name(), copies), base, copies);
}

}  // namespace quasar
