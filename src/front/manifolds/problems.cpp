#include "front/manifolds/problems.hpp"

#include <vector>

#include <quasar/errors.hpp>

#include "front/manifolds/karcher_mean.hpp"
#include "front/manifolds/pca.hpp"
#include "front/manifolds/procrustes.hpp"

namespace quasar {

std::span<const ProblemEntry> problems() {
  static const std::vector<ProblemEntry> all = {
      {"karcher-mean", "positive definite matrices",
       "the mean of covariance matrices: the one with the least mean squared distance, in the affine-invariant metric",
       karcher_mean_params(), karcher_mean_config},
      {"pca", "subspaces", "principal components: the directions in which data varies most", pca_params(), pca_config},
      {"procrustes", "matrices with orthonormal columns",
       "the rotation or reflection that takes the rows of one matrix nearest to those of another", procrustes_params(),
       procrustes_config},
  };
  return all;
}

const ProblemEntry& problem(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ProblemEntry& entry : problems()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UsageError(unknown_name("problem", name, names));
}

}  // namespace quasar
