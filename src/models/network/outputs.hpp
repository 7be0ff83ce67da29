// What the scores of a network mean: probabilities of classes.
#pragma once

#include <cmath>

namespace quasar {

// Scores become logarithms of probabilities, row by row; the largest score is taken off first, so nothing overflows.
template <class Rows>
void log_softmax(Rows& scores) {
  for (auto row : scores.rowwise()) {
    row.array() -= row.maxCoeff();
    row.array() -= std::log(row.array().exp().sum());
  }
}

}  // namespace quasar
