// Points of several manifolds at once: a subspace and a covariance matrix, say.
#include <string>
#include <utility>

#include "manifolds/composite.hpp"
#include "manifolds/sizes.hpp"

namespace quasar {

ManifoldPtr product(std::vector<ManifoldPtr> parts) {
  require_size(!parts.empty(), "product: needs at least one manifold");
  std::vector<CompositePart> stacked;
  std::string names;
  Index rows = 0;
  for (auto& part : parts) {
    const auto [part_rows, part_cols] = part->shape();
    names += (names.empty() ? "" : ", ") + part->name();
    stacked.push_back({std::move(part), rows, 0});
    rows += part_rows * part_cols;
  }
  return std::make_shared<Composite>("product(" + names + ")", Manifold::Shape{rows, 1}, std::move(stacked));
}

}  // namespace quasar
