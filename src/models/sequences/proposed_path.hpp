// Move A of the asymp-iHMM: the cheapest path by costs that are known before the path is.
#pragma once

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

enum class PathBound {
  published,  // close to J, and mostly below what J will be
  safe,       // never below: J of the path <= its cost, and equal for the present path
};

Path proposed_path(const Sequences& data, const AsympIhmmOptions& options, const PathStats& present, PathBound bound);

}  // namespace quasar
