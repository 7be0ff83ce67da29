// simd/stable_inl.hpp -- what the functions of stable variances share. Included once per instruction set, after
// highway.h and its functions.
#if defined(QUASAR_SIMD_STABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QUASAR_SIMD_STABLE_INL
#undef QUASAR_SIMD_STABLE_INL
#else
#define QUASAR_SIMD_STABLE_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<double, 8> d;
using V = hn::Vec<decltype(d)>;

HWY_INLINE V constant(double c) { return hn::Set(d, c); }

// A vector that begins at `from`, of which the first `have` numbers exist; 1 elsewhere, which no function minds.
HWY_INLINE V load(const double* from, std::size_t have) {
  if (have >= hn::Lanes(d)) return hn::LoadU(d, from);
  HWY_ALIGN double all[8];
  std::fill(std::copy_n(from, have, all), all + 8, 1.0);
  return hn::Load(d, all);
}

HWY_INLINE void store(V v, double* to, std::size_t have) {
  if (have >= hn::Lanes(d)) return hn::StoreU(v, d, to);
  HWY_ALIGN double all[8];
  hn::Store(v, d, all);
  std::copy_n(all, have, to);
}

template <class F>
HWY_INLINE void by_vectors(std::size_t count, const F& f) {  // f(begin, how many there are)
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += lanes) f(i, std::min(lanes, count - i));
}

// sin(pi u) for 0 < u < 1, by the nearer end.
HWY_INLINE V sin_pi(V u) {
  return hn::Sin(d, hn::Mul(constant(std::numbers::pi), hn::Min(u, hn::Sub(constant(1.0), u))));
}

// log A + shift with A = sin(a pi u) / sin(pi u)^(1/a) [sin((1 - a) pi u) / E]^((1 - a)/a), E = -log(uniform).
struct Kanter {
  double a, shift;
  Kanter(double exponent, double added) : a(exponent), shift(added) {}
  HWY_INLINE V log_draw(V u, V uniform) const {
    const auto e = hn::Neg(hn::Log(d, uniform));
    const auto other = hn::Log(d, hn::Div(sin_pi(hn::Mul(constant(1 - a), u)), e));
    const auto inside = hn::Sub(hn::Mul(constant(1 - a), other), hn::Log(d, sin_pi(u)));
    const auto log_a = hn::MulAdd(inside, constant(1 / a), hn::Log(d, sin_pi(hn::Mul(constant(a), u))));
    return hn::Add(log_a, constant(shift));
  }
};

// Whether log(uniform w / v) < square / 2 (1/v - 1/w): Metropolis from variance v to w. Always where the square is
// below 0, never to a w that is not finite.
HWY_INLINE hn::Mask<decltype(d)> better_variance(V square, V v, V w, V uniform) {
  const auto one = constant(1.0);
  const auto gain = hn::Mul(hn::Mul(constant(0.5), square), hn::Sub(hn::Div(one, v), hn::Div(one, w)));
  const auto price = hn::Log(d, hn::Mul(uniform, hn::Div(w, v)));
  const auto wanted = hn::Or(hn::Lt(price, gain), hn::Lt(square, hn::Zero(d)));
  return hn::And(wanted, hn::IsFinite(w));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#endif
