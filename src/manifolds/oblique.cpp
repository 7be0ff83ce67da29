// Columns of norm one: dictionaries, correlation matrices X'X (Absil and Gallivan, ICASSP 2006).
#include <fmt/core.h>

#include "manifolds/composite.hpp"
#include "manifolds/sizes.hpp"

namespace quasar {

ManifoldPtr oblique(Index rows, Index cols) {
  require_size(rows > 1 && cols > 0, "oblique: needs at least two rows and one column");
  return repeated(fmt::format("oblique({}, {})", rows, cols), sphere(rows), cols);
}

}  // namespace quasar
