// Move B of the asymp-iHMM: splits and unions of states, each judged exactly from counts.
#pragma once

#include <optional>

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

struct Split {  // the points of `state` that come from `from` leave it
  int from, state;
  double change;  // of J
};

struct Merge {
  int kept, gone;
  double change;
};

class LocalMoves {
 public:
  LocalMoves(const Sequences& data, const AsympIhmmOptions& options, const Path& path, const PathStats& stats);

  std::optional<Split> best_split() const;
  std::optional<Merge> best_merge() const;
  Path with(const Split& split) const;
  Path with(const Merge& merge) const;

 private:
  struct Arrivals {  // the points of a state that come from another one
    StateStats stats;
    Vec next;  // by state: how often it follows them
  };

  const Arrivals& arrivals(Index from, Index state) const;
  double starts_in(Index state) const;  // sequences that begin there
  double after_split(Index from, Index state) const;
  double after_merge(Index kept, Index gone) const;

  const Sequences& data_;
  const AsympIhmmOptions& options_;
  const Path& path_;
  const PathStats& stats_;
  double now_;
  std::vector<Arrivals> arrivals_;
};

}  // namespace quasar
