// Where fits of hidden Markov models start from.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/sequences.hpp"

namespace quasar {

// k-means++ (Arthur and Vassilvitskii 2007), then Lloyd's turns, with the divergence of the emissions. Values that are
// missing in a point that is chosen as a centre are those of the mean.
Mat kmeans(const Sequences& data, Emission emission, Index clusters, const Rng& rng);

// Rows uniform on the simplex: transitions to start from.
Mat random_rows(Index states, Stream draws);

}  // namespace quasar
