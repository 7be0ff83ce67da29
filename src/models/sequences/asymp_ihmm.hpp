// asymp-iHMM: segments a sequence without being told how many states there are (Roychowdhury, Jiang and Kulis, NIPS
// 2013). Lowers the objective of path_objective.hpp by moves in turn:
//
// A. A path by dynamic programming, with costs that are those of the present path where it has gone before and an
//    estimate where not; a point too far from everything may open a state. The published estimate does not bound J, so
//    the path is taken only if J itself does not rise; otherwise once more with costs that bound it, which cannot fail.
// B. The points of state j that come from state i become a state of their own, for the pair where that lowers J most.
//    Then, where wanted, states become one as long as a union lowers J, the one first that lowers it most.
// C. Where neither helps: a state becomes two by the values of its points, for the state where that lowers J most.
#pragma once

#include "models/sequences/path_objective.hpp"

namespace quasar {

struct AsympIhmmOptions {
  Emission emission = Emission::normal;
  IhmmPenalties penalties;
  bool merge = true;   // unions, of move B
  bool divide = true;  // move C
  int most_states = 60;
  int most_iterations = 60;
  int threads = 1;  // settings of a grid at a time
};

struct IhmmFit {
  Path states;  // numbered in the order of their first points
  PathStats stats;
  double objective = 0;
  std::vector<double> trace;       // J at first, then after each of the moves A and B, and after C where it helped
  int proposals = 0, refused = 0;  // paths of move A; those whose published costs were no bound
  bool converged = false;
};

IhmmFit fit_asymp_ihmm(const Sequences& data, const AsympIhmmOptions& options);

// The same from a given path, of a window before this one, for instance.
IhmmFit fit_asymp_ihmm(const Sequences& data, const AsympIhmmOptions& options, Path start);

}  // namespace quasar
