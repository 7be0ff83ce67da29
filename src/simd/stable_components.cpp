#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/stable_components.cpp"  // compiled once per instruction set
#include "simd/stable_components.hpp"

#include <algorithm>
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

constexpr double largest_log_phi = 600;  // far out in the tails even of exponents near 0

void propose(const ComponentProposals& in, double* part, double* phi, std::size_t count) {
  const Kanter kanter(in.exponent, std::numbers::ln2);
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto log_phi = kanter.log_draw(load(in.angle + i, n), load(in.exponential + i, n));
    const auto drawn = hn::Exp(d, hn::Clamp(log_phi, constant(-largest_log_phi), constant(largest_log_phi)));
    const auto proposed = hn::Mul(hn::Mul(drawn, load(in.w + i, n)), constant(in.h));
    const auto rest = hn::Add(load(in.before + i, n), load(in.behind + i, n)), now = load(part + i, n);
    const auto taken =
        better_variance(load(in.square + i, n), hn::Add(rest, now), hn::Add(rest, proposed), load(in.uniform + i, n));
    store(hn::IfThenElse(taken, proposed, now), part + i, n);
    store(hn::IfThenElse(taken, drawn, load(phi + i, n)), phi + i, n);
  });
}

void scale(const double* part, double* re, double* im, double* rest_re, double* rest_im, std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto sd = hn::Sqrt(load(part + i, n));
    const auto x = hn::Mul(sd, load(re + i, n)), y = hn::Mul(sd, load(im + i, n));
    store(x, re + i, n);
    store(y, im + i, n);
    store(hn::Sub(load(rest_re + i, n), x), rest_re + i, n);
    store(hn::Sub(load(rest_im + i, n), y), rest_im + i, n);
  });
}

void correct(const ComponentParts& in, double* re, std::size_t count) {
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    const auto share = hn::Div(load(in.part + i, n), load(in.sum + i, n));
    const auto x = hn::MulAdd(share, load(in.rest_re + i, n), load(re + i, n));
    const auto y = hn::MulAdd(share, load(in.rest_im + i, n), load(in.im + i, n));
    const auto ratio = hn::Div(hn::MulAdd(x, x, hn::Mul(y, y)), load(in.phi + i, n));
    store(hn::IfThenElseZero(hn::Ge(load(in.square + i, n), hn::Zero(d)), ratio), re + i, n);
  });
}

double ratios(const double* a, const double* b, std::size_t count) {
  auto sums = hn::Zero(d);
  by_vectors(count, [&](std::size_t i, std::size_t n) HWY_ATTR {
    sums = hn::Add(sums, hn::IfThenElseZero(hn::FirstN(d, n), hn::Div(load(a + i, n), load(b + i, n))));
  });
  return hn::GetLane(hn::SumOfLanes(d, sums));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(propose);
HWY_EXPORT(scale);
HWY_EXPORT(correct);
HWY_EXPORT(ratios);

void propose_component(const ComponentProposals& in, double* part, double* phi, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(propose)(in, part, phi, count);
}

void scale_normals(const double* part, double* re, double* im, double* rest_re, double* rest_im, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(scale)(part, re, im, rest_re, rest_im, count);
}

void correct_normals(const ComponentParts& in, double* re, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(correct)(in, re, count);
}

double weighted_ratios(const double* a, const double* b, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(ratios)(a, b, count);
}

}  // namespace quasar::simd
#endif
