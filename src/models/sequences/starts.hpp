// Where fits of hidden Markov models start from.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/sequences.hpp"

namespace quasar {

// k-means++ (Arthur and Vassilvitskii 2007), then some turns of Lloyd's, with the divergence of the emissions, on at
// most 200 points for each cluster. Values that are missing in a point that is chosen as a centre are those of the
// mean. Where there are fewer different points than clusters, some centres are the same. Counts and categories get
// centres half way to the mean of all points, so that none is ruled out.
Mat kmeans(const Sequences& all, Emission emission, Index clusters, const Rng& rng);

// A centre at the edge of its range, a category that was never seen, rules points out, and for good. So many parts of
// the way to the mean of all points it does not. Normal centres have no edge and stay.
Mat inside(Emission emission, const Mat& centres, In mean, double part);

// Rows uniform on the simplex: transitions to start from.
Mat random_rows(Index states, Stream draws);

}  // namespace quasar
