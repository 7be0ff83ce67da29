#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/stable_variances.cpp"  // compiled once per instruction set
#include "simd/stable_variances.hpp"

#include <algorithm>
#include <numbers>

// The order matters.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<double, 8> d;
using V = hn::Vec<decltype(d)>;

constexpr double largest_exponent = 690;  // of a variance: neither 0 nor infinite, whatever phi

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

void variances(const double* log_phi, double constant_log_phi, const double* dispersion, double power, double floor,
               double* out, std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto l = load(dispersion + i, n);
    const auto at = log_phi != nullptr ? load(log_phi + i, n) : constant(constant_log_phi);
    const auto log_v = hn::MulAdd(constant(power), hn::Log(d, hn::Max(l, constant(floor))), at);
    const auto v = hn::Exp(d, hn::Clamp(log_v, constant(-largest_exponent), constant(largest_exponent)));
    store(hn::IfThenElse(hn::Eq(l, l), v, l), out + i, n);  // NaN stays what it is
  });
}

double slopes_of(const double* square, const double* variance, bool want_density, double* slope, std::size_t count) {
  auto sums = hn::Zero(d);
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto s = load(square + i, n), v = load(variance + i, n);
    const auto seen = hn::And(hn::Ge(s, hn::Zero(d)), hn::FirstN(d, n));
    const auto half = hn::Div(hn::Mul(constant(0.5), s), v);
    const auto one = hn::IfThenElseZero(seen, hn::Sub(half, constant(1.0)));
    store(one, slope + i, n);
    const auto density = hn::Sub(hn::Neg(hn::Log(d, hn::Mul(constant(2 * std::numbers::pi), v))), half);
    sums = hn::Add(sums, want_density ? hn::IfThenElseZero(seen, density) : one);
  });
  return hn::GetLane(hn::SumOfLanes(d, sums));
}

// sin(pi u) for 0 < u < 1, by the nearer end.
HWY_INLINE V sin_pi(V u) {
  return hn::Sin(d, hn::Mul(constant(std::numbers::pi), hn::Min(u, hn::Sub(constant(1.0), u))));
}

// log A = log sin(a pi u) + [(1 - a) (log sin((1 - a) pi u) - log E) - log sin(pi u)] / a,  E = -log(uniform).
void log_stables(double a, double shift, const double* angle, const double* exponential, double* out,
                 std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto u = load(angle + i, n);
    const auto e = hn::Neg(hn::Log(d, load(exponential + i, n)));
    const auto other = hn::Log(d, hn::Div(sin_pi(hn::Mul(constant(1 - a), u)), e));
    const auto inside = hn::Sub(hn::Mul(constant(1 - a), other), hn::Log(d, sin_pi(u)));
    const auto log_a = hn::MulAdd(inside, constant(1 / a), hn::Log(d, sin_pi(hn::Mul(constant(a), u))));
    store(hn::Add(log_a, constant(shift)), out + i, n);
  });
}

// Taken where log(uniform v' / v) < square / 2 (1/v - 1/v'); always where the entry was not seen.
std::size_t accept(const VarianceProposals& in, double* variance, double* now_mark, std::size_t count) {
  std::size_t accepted = 0;
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto square = load(in.square + i, n), rest = load(in.rest + i, n);
    const auto now = load(variance + i, n), proposed = load(in.proposed + i, n);
    const auto v = hn::Add(rest, now), w = hn::Add(rest, proposed);
    const auto gain =
        hn::Mul(hn::Mul(constant(0.5), square), hn::Sub(hn::Div(constant(1.0), v), hn::Div(constant(1.0), w)));
    const auto price = hn::Log(d, hn::Mul(load(in.uniform + i, n), hn::Div(w, v)));
    const auto seen = hn::Ge(square, hn::Zero(d));
    const auto better = hn::Lt(price, gain);
    const auto taken = hn::Or(better, hn::Not(seen));
    accepted += hn::CountTrue(d, hn::And(hn::And(better, seen), hn::FirstN(d, n)));
    store(hn::IfThenElse(taken, proposed, now), variance + i, n);
    store(hn::IfThenElse(taken, load(in.mark + i, n), load(now_mark + i, n)), now_mark + i, n);
  });
  return accepted;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(variances);
HWY_EXPORT(slopes_of);
HWY_EXPORT(log_stables);
HWY_EXPORT(accept);

void stable_variances(const double* log_phi, double constant_log_phi, const double* dispersion, double power,
                      double floor, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(variances)(log_phi, constant_log_phi, dispersion, power, floor, out, count);
}

double log_variance_slopes(const double* square, const double* variance, bool want_density, double* slope,
                           std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(slopes_of)(square, variance, want_density, slope, count);
}

void log_positive_stables(double a, double shift, const double* angle, const double* exponential, double* out,
                          std::size_t count) {
  HWY_DYNAMIC_DISPATCH(log_stables)(a, shift, angle, exponential, out, count);
}

std::size_t accept_variances(const VarianceProposals& in, double* variance, double* now_mark, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(accept)(in, variance, now_mark, count);
}

}  // namespace quasar::simd
#endif
