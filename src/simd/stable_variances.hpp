// simd/stable_variances.hpp -- complex normal numbers whose variances are sums of stable ones.
//
// Entry by entry, v = sum of phi L^power over sources, and |x|^2 = square is seen with log density
// -log(2 pi v) - square / (2 v): real and imaginary part each N(0, v). A square below 0: the entry was not seen.
#pragma once

#include <cstddef>

namespace quasar::simd {

// out = exp(log_phi + power log max(dispersion, floor)), NaN if that is above e^690, or constant_log_phi where log_phi
// is null.
void stable_variances(const double* log_phi, double constant_log_phi, const double* dispersion, double power,
                      double floor, double* out, std::size_t count);

// slope = d log density / d log v = square / (2 v) - 1. Returns the sum of log densities, or of slopes if those are not
// wanted: not finite if any of them is not.
double log_variance_slopes(const double* square, const double* variance, bool want_density, double* slope,
                           std::size_t count);

// Kanter's A with E exp(-t A) = exp(-t^a), 0 < a < 1, of two uniforms each: out = log A + shift.
void log_positive_stables(double a, double shift, const double* angle, const double* exponential, double* out,
                          std::size_t count);

struct VarianceProposals {
  const double* square;
  const double* rest;      // of the other sources
  const double* proposed;  // of this one
  const double* mark;      // to be taken along: what the proposed variance was made of
  const double* uniform;
};

// Metropolis: variance and now_mark become the proposed ones where log uniform is below the gain of log density.
void accept_variances(const VarianceProposals& in, double* variance, double* now_mark, std::size_t count);

}  // namespace quasar::simd
