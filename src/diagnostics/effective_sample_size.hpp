// Effective sample size of the mean of several chains.
#pragma once

#include "diagnostics/autocovariance.hpp"

namespace quasar::diagnostics {

// S / tau for S draws in all, with tau = 1 + 2 sum_t rho_t estimated over the chains (columns) together (Vehtari et
// al. 2021). NaN when a draw is infinite. At least two draws per chain, none NaN.
double effective_sample_size(const Mat& chains, Autocovariance& autocovariance);
double effective_sample_size(const Mat& chains);

}  // namespace quasar::diagnostics
