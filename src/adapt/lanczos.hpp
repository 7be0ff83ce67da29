// Curvature by probing: grad U at a few displaced points tells the directions in which U bends most and least.
#pragma once

#include <functional>

#include <quasar/core.hpp>

namespace quasar {

// What a learner may ask of the density beyond the draws: grad U at the chain's point and near it.
struct LocalGradient {
  Vec here;
  std::function<bool(In offset, Out gradient)> at_offset;  // false: U is not finite there
};

// Pairs with y = (change of grad U along s), conjugate where U is quadratic. Curvature i is s_i'y_i / |s_i|^2 in scaled
// coordinates; weight i estimates the share of all directions that curvature stands for.
struct CurvaturePairs {
  Mat s, y;
  Vec curvature, weight;  // curvatures ascending
};

// The Lanczos process on the Hessian at the chain's point, in coordinates x / scale, from a random direction: `probes`
// gradients, fewer where the process ends early or leaves the domain. A displacement is about a standard deviation
// long, so the curvature is that of the posterior's scale, not of a point.
CurvaturePairs probe_curvature(const LocalGradient& gradient, In scale, Index probes, const Rng& rng);

}  // namespace quasar
