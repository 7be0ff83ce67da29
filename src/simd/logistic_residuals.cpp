#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/logistic_residuals.cpp"  // compiled once per instruction set
#include "simd/logistic_residuals.hpp"

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

// With e = exp(-|z|) the probability is 1/(1 + e) for z >= 0 and e/(1 + e) below: nothing overflows.
template <class Tag>
HWY_INLINE void residuals(Tag d, const double* z, const double* y, double weight, double* slope, double* e) {
  const auto at = hn::LoadU(d, z), one = hn::Set(d, 1.0);
  const auto small = hn::IfThenElse(hn::IsNaN(at), at, hn::Exp(d, hn::Neg(hn::Abs(at))));
  const auto above = hn::IfThenElse(hn::Ge(at, hn::Zero(d)), one, small);
  const auto probability = hn::Div(above, hn::Add(one, small));
  hn::StoreU(small, d, e);
  hn::StoreU(hn::Mul(hn::Set(d, weight), hn::Sub(hn::LoadU(d, y), probability)), d, slope);
}

void logistic_residuals(const double* z, const double* y, double weight, double* slope, double* e, std::size_t count) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> single;
  std::size_t i = 0;
  for (; i + hn::Lanes(wide) <= count; i += hn::Lanes(wide)) residuals(wide, z + i, y + i, weight, slope + i, e + i);
  for (; i < count; ++i) residuals(single, z + i, y + i, weight, slope + i, e + i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(logistic_residuals);

void logistic_residuals(const double* z, const double* y, double weight, double* slope, double* e, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(logistic_residuals)(z, y, weight, slope, e, count);
}

}  // namespace quasar::simd
#endif
