// What the settings of quasar segment are to the methods of models/sequences.
#pragma once

#include <quasar/rng.hpp>

#include "front/segment.hpp"
#include "models/sequences/asymp_hmm.hpp"

namespace quasar {

bool standardizes(const Sequences& data, const SegmentSettings& settings);

PenaltyGrid grid_of(const Sequences& data, const SegmentSettings& settings);
AsympIhmmOptions ihmm_options(const SegmentSettings& settings);
AsympHmmOptions hmm_options(const Sequences& data, const SegmentSettings& settings, const Rng& rng);
HmmEmOptions em_options(const SegmentSettings& settings);

// In the units of `data`. Penalties, objective, probabilities and the like go into `found`.
FittedHmm fit_segments(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found,
                       std::span<ChainProgress> progress);

}  // namespace quasar
