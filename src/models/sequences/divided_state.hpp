// Move C of the asymp-iHMM: a state becomes two by the values of its points. Where states last, nearly all points of a
// state come from itself, so that two levels which were taken for one cannot be told by where their points come from.
#pragma once

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

// The visits to the state as sequences of their own, through which an asymp-HMM with two states lays a path, from rows
// that take turns and from rows that stay: a path for each. The second of the two states is behind the last one.
std::vector<Path> with_state_divided(const Sequences& data, const AsympIhmmOptions& options, const Path& path,
                                     int state);

}  // namespace quasar
