// simd/generalized_gamma.hpp -- log densities and slopes of many numbers with one generalised Gamma law.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct StacyLaw {  // (x / scale)^power ~ Gamma(shape), x > 0; power is not 0
  double shape, log_scale, power;
};

// With t = (x / scale)^power: log density but for its constant (power shape - 1) log x - t, slope (power shape - 1 -
// power t) / x. Overwrites slope. Returns the sum of log densities, NaN where an x is negative; of slopes, if the
// density is not wanted.
double natural_stacy_slopes(const StacyLaw& law, const double* x, bool want_density, double* slope, std::size_t count);

// The same of y = log x, with the Jacobian: power shape y - t, slope power (shape - t).
double log_stacy_slopes(const StacyLaw& law, const double* y, bool want_density, double* slope, std::size_t count);

void exponentials(const double* x, double* out, std::size_t count);  // out may be x

// out = x^power, for x > 0; out may be x.
void powers(const double* x, double power, double* out, std::size_t count);

}  // namespace quasar::simd
