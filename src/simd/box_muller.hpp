// simd/box_muller.hpp -- random words to normals, many at once (Box and Muller 1958).
#pragma once

#include <cstddef>
#include <cstdint>

namespace quasar::simd {

// out[2 i] and out[2 i + 1] are independent standard normals made of radius[i] and angle[i], 64 random bits each.
// All arrays are padded (simd/padding.hpp): `out` to 2 padded(pairs).
// Only correctly rounded operations are used, never a fused one: every instruction set gives the same bits.
void box_muller(const std::uint64_t* radius, const std::uint64_t* angle, std::size_t pairs, double* out);

}  // namespace quasar::simd
