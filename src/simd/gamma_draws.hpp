// simd/gamma_draws.hpp -- normals and uniforms to gamma draws, many at once (Marsaglia and Tsang, ACM TOMS 2000).
#pragma once

#include <cstddef>

namespace quasar::simd {

struct GammaInputs {  // arrays padded (simd/padding.hpp) with numbers of the same kind
  const double* shape;
  const double* normal;
  const double* accept;  // uniform: whether the draw made of the normal is taken
  const double* boost;   // uniform: for shapes below 1, Gamma(a) = Gamma(a + 1) boost^(1/a)
};

inline constexpr double largest_gamma_shape = 1e6;  // above it the test of acceptance would lose digits

// out[i] ~ Gamma(shape[i], 1), or -1 where the draw was not accepted or the shape is too large: to be drawn otherwise.
void gamma_draws(const GammaInputs& in, std::size_t count, double* out);

}  // namespace quasar::simd
