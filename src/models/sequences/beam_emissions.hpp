// What a state of the beam sampler says of its points: conjugate laws of centres, by the sums over the points of a
// state.
#pragma once

#include "models/sequences/beam_sampler.hpp"

namespace quasar {

// A column for every state, a row for every value of a point; missing values count for nothing. Of the normal law the
// sums are those of x - mean.
struct StateSums {
  Mat observed, sum, squares;
};

StateSums state_sums(const Sequences& data, const BeamOptions& options, const BeamState& state);

// A centre from its conditional law given the points of column k; from its prior where there are none.
Vec draw_centre(const StateSums& sums, Index k, const BeamOptions& options, double variance, Stream& draws);

double draw_variance(const Sequences& data, const BeamOptions& options, const BeamState& state, Stream draws);

// log p(x_t | z_t = k), a column for every point, up to what does not depend on k.
Mat log_likelihoods(const Sequences& data, const BeamOptions& options, const BeamState& state);

// log p(x | z, s^2), centres integrated out. Of counts, without the factorials.
double log_evidence(const StateSums& sums, const BeamOptions& options, double variance);

// Priors on the scale of the data: centres spread as the values do; 1 / s^2 ~ Gamma(1, v / 100) with v the variance of
// the values, rates ~ Gamma(1, 1 / their mean).
BeamOptions default_beam_options(const Sequences& data, Emission emission);

}  // namespace quasar
