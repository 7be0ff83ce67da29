// How well two partitions of the same points agree.
#pragma once

#include "models/sequences/viterbi.hpp"

namespace quasar {

// I(A; B) / sqrt(H(A) H(B)); 0 where either has one part only.
double normalized_mutual_information(const Path& a, const Path& b);

}  // namespace quasar
