#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gamma_draws.cpp"  // compiled once per instruction set
#include "simd/gamma_draws.hpp"

// The order matters.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "simd/padding.hpp"

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<double, vector_padding / 2> d;

// d v with d = a - 1/3, v = (1 + x / sqrt(9 d))^3, taken where log u < x^2/2 + d (1 - v + log v); a >= 1.
void draws(const GammaInputs& in, std::size_t count, double* out) {
  const auto one = hn::Set(d, 1.0);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto shape = hn::LoadU(d, in.shape + i), x = hn::LoadU(d, in.normal + i);
    const auto small = hn::Lt(shape, one);
    const auto centre = hn::Sub(hn::IfThenElse(small, hn::Add(shape, one), shape), hn::Set(d, 1.0 / 3));
    const auto root = hn::Add(one, hn::Div(x, hn::Sqrt(hn::Mul(hn::Set(d, 9.0), centre))));
    const auto inside = hn::Gt(root, hn::Set(d, 1e-9));
    const auto v = hn::IfThenElse(inside, hn::Mul(root, hn::Mul(root, root)), one);
    const auto bound =
        hn::Add(hn::Mul(hn::Set(d, 0.5), hn::Mul(x, x)), hn::Mul(centre, hn::Add(hn::Sub(one, v), hn::Log(d, v))));
    const auto taken = hn::And(hn::And(inside, hn::Le(shape, hn::Set(d, largest_gamma_shape))),
                               hn::Lt(hn::Log(d, hn::LoadU(d, in.accept + i)), bound));
    auto value = hn::Mul(centre, v);
    if (!hn::AllFalse(d, small)) {
      const auto boost = hn::Exp(d, hn::Div(hn::Log(d, hn::LoadU(d, in.boost + i)), shape));
      value = hn::IfThenElse(small, hn::Mul(value, boost), value);
    }
    hn::StoreU(hn::IfThenElse(taken, value, hn::Set(d, -1.0)), d, out + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(draws);

void gamma_draws(const GammaInputs& in, std::size_t count, double* out) { HWY_DYNAMIC_DISPATCH(draws)(in, count, out); }

}  // namespace quasar::simd
#endif
