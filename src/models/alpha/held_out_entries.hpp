// Entries of a matrix that are kept back from a factorization, to be predicted by it.
#pragma once

#include <cstdint>
#include <vector>

#include <quasar/core.hpp>

#include "models/alpha/alpha_source.hpp"

namespace quasar {

class AlphaMixture;

struct HeldOutEntries {
  std::vector<Index> places;  // column after column
  std::vector<double> squares;
};

// Takes that share of what was observed, at random by the seed, off the data. UsageError: nothing is left, or taken
HeldOutEntries hold_out(Intensities& data, double share, std::uint64_t seed);

// The average predictive density of what was held out, over draws of W and H; Phi is integrated out by quadrature.
class HeldOutEntriesScore {
 public:
  void add(AlphaMixture& model, In x);
  // The mean over entries of log (mean over draws of p(x_ij | W, H)); the larger, the better is alpha.
  double log_predictive_density() const;

 private:
  Vec here_, log_sum_;
  Index draws_ = 0;
};

}  // namespace quasar
