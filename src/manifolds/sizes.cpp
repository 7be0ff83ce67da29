#include "manifolds/sizes.hpp"

#include <string>

#include <quasar/errors.hpp>

namespace quasar {

void require_size(bool makes_sense, std::string_view what) {
  if (!makes_sense) throw UsageError(std::string(what));
}

void fill_with_normals(Stream& stream, MatOut out) {
  for (Index j = 0; j < out.cols(); ++j) stream.normals(out.col(j));
}

}  // namespace quasar
