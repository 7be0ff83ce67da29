#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gamma_functions.cpp"  // compiled once per instruction set
#include "simd/gamma_functions.hpp"

#include <algorithm>

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

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr double steps = 8;  // from x below 8 to y = x + 8, where the asymptotic series hold

HWY_INLINE Vector constant(double c) { return hn::Set(Tag(), c); }

HWY_INLINE Vector series(Vector, double c0) { return constant(c0); }
template <class... Rest>
HWY_INLINE Vector series(Vector z, double c0, Rest... rest) {  // c0 + c1 z + c2 z^2 + ...
  return hn::MulAdd(z, series(z, rest...), constant(c0));
}

// Gamma(x) = Gamma(y) / product, digamma(x) = digamma(y) - sum. With z = x (x + 7) the product x (x + 1) ... (x + 7)
// is z (z + 6) (z + 10) (z + 12), and the sum of the 1 / (x + i) is (2 x + 7) times that of the reciprocals of the four
// factors: one division, and nothing cancels.
struct Shifted {
  Vector y, product, sum;
};

HWY_INLINE Shifted shifted(Vector x) {
  const auto small = hn::Lt(x, constant(steps));
  const auto t = hn::Min(x, constant(steps));
  const auto a = hn::Mul(t, hn::Add(t, constant(7.0)));
  const auto b = hn::Add(a, constant(6.0)), c = hn::Add(a, constant(10.0)), d = hn::Add(a, constant(12.0));
  const auto ab = hn::Mul(a, b), cd = hn::Mul(c, d);
  const auto product = hn::Mul(ab, cd);
  const auto top = hn::MulAdd(hn::Add(a, b), cd, hn::Mul(hn::Add(c, d), ab));
  const auto sum = hn::Div(hn::Mul(hn::MulAdd(t, constant(2.0), constant(7.0)), top), product);
  return {hn::IfThenElse(small, hn::Add(x, constant(steps)), x), hn::IfThenElse(small, product, constant(1.0)),
          hn::IfThenElseZero(small, sum)};
}

// log y - digamma(y) for y >= 8: 1/(2y) + 1/(12 y^2) - 1/(120 y^4) + ... (Abramowitz and Stegun 6.3.18)
HWY_INLINE Vector digamma_rest(Vector y) {
  const auto w = hn::Div(constant(1.0), y), z = hn::Mul(w, w);
  const auto even = series(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return hn::MulAdd(z, even, hn::Mul(w, constant(0.5)));
}

struct Digamma {
  HWY_INLINE Vector operator()(Vector x) const {
    const Shifted s = shifted(x);
    return hn::Sub(hn::Sub(hn::Log(Tag(), s.y), digamma_rest(s.y)), s.sum);
  }
};

// exp(digamma(y)) = y exp(-rest): no logarithm. A small x has a large sum, 1 / x at least, and so has the shift that
// balances it: their difference comes first.
struct ExpDigamma {
  double shift;
  HWY_INLINE Vector operator()(Vector x) const {
    const Shifted s = shifted(x);
    return hn::Mul(s.y, hn::Exp(Tag(), hn::Sub(hn::Sub(constant(shift), s.sum), digamma_rest(s.y))));
  }
};

// (y - 1/2) log y - y + log(2 pi)/2 + 1/(12 y) - 1/(360 y^3) + ... (Abramowitz and Stegun 6.1.41)
struct LogGamma {
  HWY_INLINE Vector operator()(Vector x) const {
    const Shifted s = shifted(x);
    const auto w = hn::Div(constant(1.0), s.y), z = hn::Mul(w, w);
    const auto rest = series(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156);
    const auto main = hn::MulSub(hn::Sub(s.y, constant(0.5)), hn::Log(Tag(), s.y), s.y);
    constexpr double half_log_two_pi = 0.91893853320467274178;
    return hn::Sub(hn::Add(main, hn::MulAdd(w, rest, constant(half_log_two_pi))), hn::Log(Tag(), s.product));
  }
};

struct NaturalLog {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Log(Tag(), x); }
};

template <class Function>
HWY_INLINE void each(const double* x, double* out, std::size_t count, Function f) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, out + i);
  if (i == count) return;
  double rest[hn::MaxLanes(d)];
  std::fill(rest, rest + lanes, 1.0);
  std::copy(x + i, x + count, rest);
  hn::StoreU(f(hn::LoadU(d, rest)), d, rest);
  std::copy(rest, rest + (count - i), out + i);
}

void digammas(const double* x, double* out, std::size_t count) { each(x, out, count, Digamma()); }
void log_gammas(const double* x, double* out, std::size_t count) { each(x, out, count, LogGamma()); }
void natural_logs(const double* x, double* out, std::size_t count) { each(x, out, count, NaturalLog()); }
void exp_digammas(const double* x, double shift, double* out, std::size_t count) {
  each(x, out, count, ExpDigamma{shift});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(digammas);
HWY_EXPORT(log_gammas);
HWY_EXPORT(natural_logs);
HWY_EXPORT(exp_digammas);

void digamma(const double* x, double* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(digammas)(x, out, count); }
void log_gamma(const double* x, double* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(log_gammas)(x, out, count); }
void natural_log(const double* x, double* out, std::size_t count) { HWY_DYNAMIC_DISPATCH(natural_logs)(x, out, count); }
void exp_digamma(const double* x, double shift, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(exp_digammas)(x, shift, out, count);
}

}  // namespace quasar::simd
#endif
