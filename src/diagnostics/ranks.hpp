// The draws of one parameter in order, and their rank-normalised values.
#pragma once

#include <span>
#include <vector>

#include <quasar/diagnostics.hpp>

namespace quasar::diagnostics {

// z = Phi^-1((r - 3/8) / (S + 1/4)) for the ranks r of S values (Blom 1958), and for the half ranks between them that
// ties share. It depends on S alone, so a table serves all parameters.
class NormalScores {
 public:
  explicit NormalScores(Index size);
  double operator()(Index twice_rank) const { return scores_[twice_rank - 2]; }

 private:
  Vec scores_;
};

// Quantile of type 7: linear between the order statistics at (S - 1) p.
double quantile_of_sorted(std::span<const double> sorted, double probability);

// All draws in ascending order.
std::vector<double> sorted_values(DrawsByChain draws);

class RankedDraws {
 public:
  RankedDraws(Index draws, Index chains);
  void sort(DrawsByChain draws);

  std::span<const double> sorted() const { return sorted_values_; }  // all draws, the middle ones included
  const Mat& bulk();    // normal scores of the split chains; valid until the next call
  const Mat& folded();  // the same of the distances |x - median|; NaN when the median is infinite

 private:
  struct Draw {
    double value;
    Index position;  // in the matrix of split chains
    bool operator<(const Draw& other) const { return value < other.value; }
  };

  const Mat& rank_normalized(const std::vector<Draw>& ascending);

  NormalScores scores_;
  std::vector<Draw> ascending_;
  std::vector<double> sorted_values_;
  std::vector<Draw> distances_, ascending_distances_;
  Mat normalized_;
};

// The larger of bulk R-hat (do locations agree?) and folded R-hat (do scales?). Folded draws may be constant where the
// draws are not (two values, equally often): then bulk alone decides.
double rank_normalized_rhat(RankedDraws& ranks);

}  // namespace quasar::diagnostics
