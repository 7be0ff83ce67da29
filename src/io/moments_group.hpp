// The moments of a run as the group `posterior_moments` of its file: every variable (chain, moment, its own axes),
// where moment is "mean" or "sd", and draw_count (chain).
#pragma once

#include <span>
#include <string>

#include <quasar/run_data.hpp>

namespace quasar {

void check_moments(const Layout& layout);  // UsageError: a name that the group needs for itself

ConstantData moments_group(const PosteriorMoments& moments);
PosteriorMoments selected(const PosteriorMoments& moments, std::span<const std::string> names);  // none: all
PosteriorMoments moments_of(const ConstantData& group);  // DataError: it is no such group

}  // namespace quasar
