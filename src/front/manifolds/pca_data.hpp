// Data of principal components with its columns centred and scaled.
#pragma once

#include "front/manifolds/pca.hpp"
#include "manifolds/problems/term_blocks.hpp"

namespace quasar {

struct PreparedPca {
  std::shared_ptr<const TermBlocks> terms;
  Vec mean, scale;
  double total = 0;  // (1/N) sum |d_i|^2 of what the terms are
};

// DataError
PreparedPca prepare(PcaData data, bool center, bool scale, int threads);
Mat all_terms(const TermBlocks& terms);

}  // namespace quasar
