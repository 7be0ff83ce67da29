#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/box_muller.cpp"  // compiled once per instruction set
#include "simd/box_muller.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/padding.hpp"

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<double, vector_padding / 2>;
using Words = hn::CappedTag<std::uint64_t, vector_padding / 2>;
using RealVector = hn::Vec<Reals>;
using WordVector = hn::Vec<Words>;

HWY_INLINE RealVector constant(double c) { return hn::Set(Reals(), c); }
HWY_INLINE WordVector bits(std::uint64_t b) { return hn::Set(Words(), b); }

constexpr std::uint64_t mantissa_mask = 0x000FFFFFFFFFFFFF;
constexpr std::uint64_t one_bits = 0x3FF0000000000000;

HWY_INLINE RealVector with_exponent_zero(WordVector random) {  // the low 52 bits as a number in [1, 2)
  return hn::BitCast(Reals(), hn::Or(hn::And(random, bits(mantissa_mask)), bits(one_bits)));
}

HWY_INLINE RealVector even_powers(RealVector, double c0) { return constant(c0); }
HWY_INLINE RealVector even_powers(RealVector, double c0, double) { return constant(c0); }
template <class... Rest>
HWY_INLINE RealVector even_powers(RealVector z_squared, double c0, double, Rest... rest) {
  return hn::Add(constant(c0), hn::Mul(z_squared, even_powers(z_squared, rest...)));
}

// c0 + c1 z + c2 z^2 + ..., even and odd powers apart: two chains, each half as long, run side by side.
template <class... Rest>
HWY_INLINE RealVector polynomial(RealVector z, double c0, Rest... rest) {
  const auto z_squared = hn::Mul(z, z);
  return hn::Add(even_powers(z_squared, c0, rest...), hn::Mul(z, even_powers(z_squared, rest...)));
}

// log u for normal u > 0. With u = 2^k m, sqrt(1/2) <= m < sqrt(2), f = m - 1 (exact) and s = f / (2 + f),
//   log u = k log 2 + 2 atanh s,   2 atanh s = 2 s + s R,   R = s^2 L(s^2) = 2 (s^2 / 3 + s^4 / 5 + ...).
// Since 2 s = f - s f, the sum f - s (f - R) starts from the exact f and corrects it by a smaller term.
// L is the minimax polynomial for |s| <= 3 - 2 sqrt(2): relative error of the logarithm below 2^-59.
// log 2 is split so that k times its high part is exact. Error below 1 ulp.
HWY_INLINE RealVector log(RealVector u) {
  constexpr std::uint64_t sqrt_half_bits = 0x3FE6A09E00000000;  // to 20 bits: the interval need not be exact
  const Reals d;
  const auto shifted = hn::Add(hn::BitCast(Words(), u), bits(one_bits - sqrt_half_bits));
  // An integer below 2^52 put into the mantissa of 2^52 is that integer plus 2^52.
  const auto biased = hn::BitCast(d, hn::Or(hn::ShiftRight<52>(shifted), bits(0x4330000000000000)));
  const auto k = hn::Sub(biased, constant(0x1p52 + 1023));
  const auto m = hn::BitCast(d, hn::Add(hn::And(shifted, bits(mantissa_mask)), bits(sqrt_half_bits)));
  const auto f = hn::Sub(m, constant(1.0));
  const auto s = hn::Div(f, hn::Add(f, constant(2.0)));
  const auto z = hn::Mul(s, s);
  const auto r =
      hn::Mul(z, polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd77p-2, 0x1.24924941f4f9ap-2, 0x1.c71c5206090c9p-3,
                            0x1.74663fa1fa5f3p-3, 0x1.39a1a6faa1df0p-3, 0x1.2f06346bb211dp-3));
  constexpr double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
  const auto correction = hn::Sub(hn::Mul(s, hn::Sub(f, r)), hn::Mul(k, constant(log2_low)));
  return hn::Add(hn::Mul(k, constant(log2_high)), hn::Sub(f, correction));
}

// With z = t^2 and |t| <= 1/2, sin((pi / 2) t) = t (pi / 2 + z S(z)) and cos((pi / 2) t) = 1 + z C(z). S and C are
// minimax polynomials: relative error of the sine 2^-57, of the cosine 2^-64. The leading terms are added last and
// pi / 2 comes in two parts: almost all of the error, below 2 ulp, is that of the last roundings.
HWY_INLINE RealVector sin_half_pi(RealVector t) {
  constexpr double half_pi_high = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;
  const auto z = hn::Mul(t, t);
  const auto rest = polynomial(z, half_pi_low, -0x1.4abbce625be46p-1, 0x1.466bc67758cb2p-4, -0x1.32d2cce32412fp-8,
                               0x1.5078300c41b39p-13, -0x1.e3009896f7145p-19, 0x1.e3ff279864bc6p-25);
  return hn::Add(hn::Mul(t, constant(half_pi_high)), hn::Mul(t, rest));
}
HWY_INLINE RealVector cos_half_pi(RealVector t) {
  const auto z = hn::Mul(t, t);
  const auto c =
      polynomial(z, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5aaep-2, -0x1.55d3c7e3c9280p-6, 0x1.e1f5068367b23p-11,
                 -0x1.a6d1ec7e0bb43p-16, 0x1.f9cc40accb92ap-22, -0x1.b263c353b195bp-28);
  return hn::Add(constant(1.0), hn::Mul(z, c));
}

// sqrt(-2 log u) with u = (x + 1/2) 2^-52, x the low 52 bits: never 0 or 1, and the subtraction is exact.
HWY_INLINE RealVector radius_of(WordVector random) {
  const auto u = hn::Sub(with_exponent_zero(random), constant(1.0 - 0x1p-53));
  return hn::Sqrt(hn::Mul(constant(-2.0), log(u)));
}

struct Point {
  RealVector x, y;
};

// The point at this radius and a uniform angle: t / 4 turns with t = x 2^-52 - 1/2 (exact), x the low 52 bits, then two
// symmetries, each decided by a bit of its own: exchange of x and y (bit 62, reflection in the diagonal) and of both
// signs (bit 63, half a turn). The four images of |t| <= 1/2 tile the circle.
HWY_INLINE Point rotated(RealVector radius, WordVector random) {
  const Reals d;
  const auto t = hn::Sub(with_exponent_zero(random), constant(1.5));
  const auto c = cos_half_pi(t), s = sin_half_pi(t);
  const auto exchange = hn::RebindMask(d, hn::TestBit(random, bits(std::uint64_t{1} << 62)));
  const auto signed_radius = hn::Or(radius, hn::And(hn::BitCast(d, random), constant(-0.0)));
  return {hn::Mul(signed_radius, hn::IfThenElse(exchange, s, c)),
          hn::Mul(signed_radius, hn::IfThenElse(exchange, c, s))};
}

}  // namespace

// Two short loops keep more independent work in flight than one long one. The radii wait in the upper half of `out`,
// which the second loop overwrites only behind the place where it reads.
void box_muller(const std::uint64_t* radius, const std::uint64_t* angle, std::size_t pairs, double* out) {
  const Reals d;
  const Words w;
  const std::size_t lanes = hn::Lanes(d);
  double* const radii = out + padded(pairs);
  for (std::size_t i = 0; i < pairs; i += lanes) hn::StoreU(radius_of(hn::LoadU(w, radius + i)), d, radii + i);
  for (std::size_t i = 0; i < pairs; i += lanes) {
    const Point z = rotated(hn::LoadU(d, radii + i), hn::LoadU(w, angle + i));
    hn::StoreInterleaved2(z.x, z.y, d, out + 2 * i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(box_muller);

void box_muller(const std::uint64_t* radius, const std::uint64_t* angle, std::size_t pairs, double* out) {
  HWY_DYNAMIC_DISPATCH(box_muller)(radius, angle, pairs, out);
}

}  // namespace quasar::simd
#endif
