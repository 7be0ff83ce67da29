#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/generalized_gamma.cpp"  // compiled once per instruction set
#include "simd/generalized_gamma.hpp"

#include <algorithm>
#include <limits>

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

HWY_INLINE V constant(double c) { return hn::Set(d, c); }

HWY_INLINE V exp_of(V x) {  // NaN stays what it is; large numbers become 1e304
  return hn::IfThenElse(hn::Eq(x, x), hn::Exp(d, hn::Min(x, constant(700))), x);
}

HWY_INLINE V log_of(V x) {  // NaN where x is not positive
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Log(d, x), constant(std::numeric_limits<double>::quiet_NaN()));
}

// In the last vector numbers that do not exist are 0 and do not count.
template <class F>
HWY_INLINE double sum_by_vectors(const double* x, double* out, std::size_t count, const F& f) {  // f(x, out) -> value
  const std::size_t lanes = hn::Lanes(d);
  auto sums = hn::Zero(d);
  V result = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    sums = hn::Add(sums, f(hn::LoadU(d, x + i), result));
    hn::StoreU(result, d, out + i);
  }
  if (i < count) {
    HWY_ALIGN double all[8] = {};
    std::copy_n(x + i, count - i, all);
    const auto value = f(hn::Load(d, all), result);
    sums = hn::Add(sums, hn::IfThenElseZero(hn::FirstN(d, count - i), value));
    hn::Store(result, d, all);
    std::copy_n(all, count - i, out + i);
  }
  return hn::GetLane(hn::SumOfLanes(d, sums));
}

double natural_slopes(const StacyLaw& law, const double* x, bool want_density, double* slope, std::size_t count) {
  const double power = law.power, first = power * law.shape - 1;
  return sum_by_vectors(x, slope, count, [&](V at, V& out) HWY_ATTR {
    const auto log_x = log_of(at);
    const auto t = exp_of(hn::Mul(constant(power), hn::Sub(log_x, constant(law.log_scale))));
    out = hn::Div(hn::NegMulAdd(constant(power), t, constant(first)), at);
    return want_density ? hn::MulSub(constant(first), log_x, t) : out;
  });
}

double log_slopes(const StacyLaw& law, const double* y, bool want_density, double* slope, std::size_t count) {
  const double power = law.power;
  return sum_by_vectors(y, slope, count, [&](V at, V& out) HWY_ATTR {
    const auto t = exp_of(hn::Mul(constant(power), hn::Sub(at, constant(law.log_scale))));
    out = hn::Mul(constant(power), hn::Sub(constant(law.shape), t));
    return want_density ? hn::MulSub(constant(power * law.shape), at, t) : out;
  });
}

void exponentials_of(const double* x, double* out, std::size_t count) {
  (void)sum_by_vectors(x, out, count, [](V at, V& result) HWY_ATTR { return result = exp_of(at); });
}

void powers_of(const double* x, double power, double* out, std::size_t count) {
  (void)sum_by_vectors(x, out, count,
                       [&](V at, V& result) HWY_ATTR { return result = exp_of(hn::Mul(constant(power), log_of(at))); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(natural_slopes);
HWY_EXPORT(log_slopes);
HWY_EXPORT(exponentials_of);
HWY_EXPORT(powers_of);

double natural_stacy_slopes(const StacyLaw& law, const double* x, bool want_density, double* slope, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(natural_slopes)(law, x, want_density, slope, count);
}

double log_stacy_slopes(const StacyLaw& law, const double* y, bool want_density, double* slope, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(log_slopes)(law, y, want_density, slope, count);
}

void exponentials(const double* x, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(exponentials_of)(x, out, count);
}

void powers(const double* x, double power, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(powers_of)(x, power, out, count);
}

}  // namespace quasar::simd
#endif
