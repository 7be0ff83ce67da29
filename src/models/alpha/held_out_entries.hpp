// Entries of a matrix that are kept back from a factorization, to be predicted by it.
#pragma once

#include <cstdint>
#include <vector>

#include <quasar/core.hpp>

#include "models/alpha/alpha_source.hpp"

namespace quasar {

struct HeldOutEntries {
  std::vector<Index> places;  // column after column
  std::vector<double> squares;
};

// Takes that share of what was observed, at random by the seed, off the data. UsageError: nothing is left, or taken
HeldOutEntries hold_out(Intensities& data, double share, std::uint64_t seed);

}  // namespace quasar
