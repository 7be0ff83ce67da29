#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/squared_distances.cpp"  // compiled once per instruction set
#include "simd/squared_distances.hpp"

#include <cmath>

// The order matters.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
HWY_INLINE void distances_from(Tag d, const PointsAndCentres& all, const double* point, std::size_t k, double* out) {
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < all.dim; ++i) {
    if (std::isnan(point[i])) continue;
    const auto away = hn::Sub(hn::Set(d, point[i]), hn::LoadU(d, all.where + i * all.centres + k));
    sum = hn::Add(sum, hn::Mul(away, away));
  }
  hn::StoreU(sum, d, out + k);
}

void squared_distances(const PointsAndCentres& all, double* out, std::size_t stride) {
  const hn::CappedTag<double, 4> wide;
  const hn::CappedTag<double, 1> single;
  const std::size_t lanes = hn::Lanes(wide);
  for (std::size_t t = 0; t < all.points; ++t, out += stride) {
    const double* point = all.values + t * all.dim;
    std::size_t k = 0;
    for (; k + lanes <= all.centres; k += lanes) distances_from(wide, all, point, k, out);
    if (k < all.centres && all.centres >= lanes) {  // the last ones once more, together with those left
      distances_from(wide, all, point, all.centres - lanes, out);
    } else {
      for (; k < all.centres; ++k) distances_from(single, all, point, k, out);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(squared_distances);

void squared_distances(const PointsAndCentres& all, double* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(squared_distances)(all, out, stride);
}

}  // namespace quasar::simd
#endif
