// The cheapest path of states through a sequence (Viterbi 1967).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "models/sequences/sequences.hpp"

namespace quasar {

using Path = std::vector<int>;  // the state of every point

// What it costs to be in each state (a row) at each of some consecutive points (a column), from `begin` on.
using EntryCosts = std::function<void(Index begin, Eigen::Ref<Mat> costs)>;

// The divergences of the points from the centres of the states. The data must outlive what is returned.
EntryCosts divergences(const Sequences& data, Emission emission, const Mat& centres);

inline constexpr double impossible = std::numeric_limits<double>::infinity();  // as a cost
inline constexpr Index costs_at_once = 512;  // points: their costs stay in the cache between being made and being used

struct PathCosts {
  EntryCosts entry;
  Vec first;       // of each state at the first point of a sequence
  Mat transition;  // (j, k): of leaving j for k
};

struct CheapestPath {
  Path states;
  double cost = 0;
};

// Ties go to the lowest state. Pointers back take a byte for every point and state; beyond `most_bytes` only the costs
// at the beginnings of blocks are kept and each block is run once more on the way back: twice the work, O(sqrt N)
// memory.
CheapestPath viterbi(const Sequences& data, const PathCosts& costs, std::size_t most_bytes = std::size_t{1} << 28);

}  // namespace quasar
