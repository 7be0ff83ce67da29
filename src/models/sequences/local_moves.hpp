// Move B of the asymp-iHMM: splits and unions of states, each judged exactly from counts, in O(K) each for
// every state that it concerns.
#pragma once

#include <optional>

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

struct Split {  // the points of `state` that come from `from` leave it
  int from, state;
  double change;  // of J
};

struct Union {
  std::vector<int> states;  // the first keeps its number
  double change;
};

class LocalMoves {
 public:
  LocalMoves(const Sequences& data, const AsympIhmmOptions& options, const Path& path, const PathStats& stats);

  std::optional<Split> best_split() const;
  std::optional<Union> best_union() const;
  Path with(const Split& split) const;
  Path with(const Union& merged) const;

 private:
  struct Arrivals {  // the points of one state that come from another one
    StateStats stats;
    Vec next;  // by state: how often it follows them
  };

  const StateStats& state(Index k) const;
  std::vector<Arrivals> arrivals() const;  // those from i into j at i K + j
  double change_by_split(const Arrivals& leaving, Index j) const;
  double change_by_union(const std::vector<int>& states) const;
  std::vector<int> by_distance_from(Index state) const;

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  const Path& path_;
  const PathStats& stats_;
  Mat centres_;
  Mat rows_;                             // a column for every state that is left
  Vec sizes_, divergences_, row_costs_;  // points of each state, and what it adds to J
};

}  // namespace quasar
