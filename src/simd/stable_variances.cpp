#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/stable_variances.cpp"  // compiled once per instruction set
#include "simd/stable_variances.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

// The order matters.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "simd/stable_inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr double largest_exponent = 690;  // of a variance: not 0 where phi is small, NaN where it is out of bounds

void variances(const double* log_phi, double constant_log_phi, const double* dispersion, double power, double floor,
               double* out, std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto l = load(dispersion + i, n);
    const auto at = log_phi != nullptr ? load(log_phi + i, n) : constant(constant_log_phi);
    const auto log_v = hn::MulAdd(constant(power), hn::Log(d, hn::Max(l, constant(floor))), at);
    const auto v = hn::Exp(d, hn::Clamp(log_v, constant(-largest_exponent), constant(largest_exponent)));
    const auto fits = hn::And(hn::Eq(l, l), hn::Le(log_v, constant(largest_exponent)));
    store(hn::IfThenElse(fits, v, constant(std::numeric_limits<double>::quiet_NaN())), out + i, n);
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

void log_stables(double a, double shift, const double* angle, const double* exponential, double* out,
                 std::size_t count) {
  const Kanter kanter(a, shift);
  by_vectors(count, [&](std::size_t i, std::size_t n)
                        HWY_ATTR { store(kanter.log_draw(load(angle + i, n), load(exponential + i, n)), out + i, n); });
}

void accept(const VarianceProposals& in, double* variance, double* now_mark, std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto square = load(in.square + i, n), rest = load(in.rest + i, n);
    const auto now = load(variance + i, n), proposed = load(in.proposed + i, n);
    const auto taken = better_variance(square, hn::Add(rest, now), hn::Add(rest, proposed), load(in.uniform + i, n));
    store(hn::IfThenElse(taken, proposed, now), variance + i, n);
    store(hn::IfThenElse(taken, load(in.mark + i, n), load(now_mark + i, n)), now_mark + i, n);
  });
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

void accept_variances(const VarianceProposals& in, double* variance, double* now_mark, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(accept)(in, variance, now_mark, count);
}

}  // namespace quasar::simd
#endif
