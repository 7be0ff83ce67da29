// Jumps of whole rows: of every kind of row the prior means, and for every number of steps the jumps of its
// coordinates. Coordinates in a row with one precision share a jump.
#pragma once

#include <vector>

#include <quasar/core.hpp>
#include <quasar/row_sparse_sum.hpp>

namespace quasar {

inline constexpr Index longest_jump = 1024;  // steps; more are several jumps

template <class Steps>
class RowLaws {
 public:
  using Jump = typename Steps::Jump;

  struct Run {  // neighbouring coordinates with one precision
    Index begin, end;
    double precision;
  };

  struct Kind {
    Vec mean, precision;
    std::vector<Run> runs;
    std::vector<Jump> jumps;  // run after run, for one number of steps after another
    const Jump* after(Index steps) const { return jumps.data() + steps * std::ssize(runs); }
  };

  RowLaws() = default;
  explicit RowLaws(const RowSparseSum& sum) : kinds_(static_cast<std::size_t>(sum.kinds())) {
    for (Kind& kind : kinds_) {
      kind.mean.resize(sum.row_length());
      kind.precision.resize(sum.row_length());
    }
  }

  const Kind& operator[](Index kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  // Memory follows the number of runs: most often there are one or two.
  void renew(RowSparseSum& sum, In x, const Steps& steps) {
    for (Index k = 0; k < std::ssize(kinds_); ++k) {
      Kind& kind = kinds_[static_cast<std::size_t>(k)];
      sum.row_prior(x, k, kind.mean, kind.precision);
      find_runs(kind);
      const Index runs = std::ssize(kind.runs);
      kind.jumps.resize(static_cast<std::size_t>(runs * entries));
      for (Index run = 0; run < runs; ++run) {
        steps.tabulate(kind.runs[static_cast<std::size_t>(run)].precision, entries, kind.jumps.data() + run, runs);
      }
    }
  }

 private:
  static constexpr Index entries = longest_jump + 2;  // 0 steps, and one noise more than the longest has steps

  static void find_runs(Kind& kind) {
    kind.runs.clear();
    for (Index i = 0; i < kind.precision.size(); ++i) {
      if (i == 0 || kind.precision[i] != kind.precision[i - 1]) kind.runs.push_back({i, i, kind.precision[i]});
      kind.runs.back().end = i + 1;
    }
  }

  std::vector<Kind> kinds_;
};

}  // namespace quasar
