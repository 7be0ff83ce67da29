// Several chains as one matrix: row = draw, column = chain.
#pragma once

#include <limits>

#include <quasar/diagnostics.hpp>

namespace quasar::diagnostics {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool has_values(DrawsByChain draws);        // at least one draw, and none is NaN
bool has_enough_draws(DrawsByChain draws);  // the least that splits into halves with a variance: four per chain

// Each chain becomes two, so that a chain that drifts disagrees with itself. The middle one of an odd number of draws
// is left out. Column 2c holds the first half of chain c, column 2c + 1 the second.
void split_chains(DrawsByChain draws, Mat& halves);
Mat split_chains(DrawsByChain draws);

Mat not_above(double threshold, const Mat& chains);  // 1 where x <= threshold, else 0

double chain_mean(In chain);  // exact for a constant chain, so that its variance is 0 and not a rounding error
double variance(In x);        // divisor: size - 1
double variance_of_means(const Mat& chains);

// sqrt(((n-1)/n W + B/n) / W) from the variances within and between chains: Gelman and Rubin (1992).
// NaN when all draws are equal; infinite when every chain is constant and they differ.
double potential_scale_reduction(const Mat& chains);

}  // namespace quasar::diagnostics
