// Effective sample size of the mean of several chains, and the autocorrelation time behind it.
#pragma once

#include "diagnostics/autocovariance.hpp"

namespace quasar::diagnostics {

// tau = 1 + 2 sum_t rho_t estimated over the chains (columns) together (Vehtari et al. 2021). NaN when a draw is
// infinite, 1 when all are equal. At least two draws per chain, none NaN.
double integrated_time(const Mat& chains, Autocovariance& autocovariance);

// S / tau for S draws in all.
double effective_sample_size(const Mat& chains, Autocovariance& autocovariance);
double effective_sample_size(const Mat& chains);

}  // namespace quasar::diagnostics
