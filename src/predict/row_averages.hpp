// The predictive law of some rows, averaged over draws that come one by one.
//
// Classes: the mean probability of each. Numbers: mean and sd by the laws of total expectation and variance, over draws
// d: mean = E[mean_d], variance = E[sd_d^2] + Var[mean_d]. The density of what was observed is averaged as log sum exp,
// so that it does not vanish where every term is tiny. A prediction that overflows under one draw is infinite on the
// average; one that is NaN, an overflow minus another, stays NaN.
#pragma once

#include <quasar/predict.hpp>
#include <quasar/scores.hpp>

#include "core/running_moments.hpp"
#include "predict/scorer.hpp"

namespace quasar {

struct RowPredictions {  // of some consecutive rows, given one draw
  Mat predicted;         // a probability for each class; or mean and sd
  Vec log_density;       // of what was observed; empty: nothing was
  Vec replicate;         // a response drawn for each row; empty: not asked for
};

enum class Replicates { none, drawn };

// Sizes and fills `out` for rows [begin, begin + rows) of a predictor that has taken a draw.
void predict_rows(Predictor& predictor, Index begin, Index rows, Replicates replicates, RowPredictions& out);

inline constexpr Index least_draws_of_interval = 20;  // of level 0.9: one of them in either tail

class RowAverages {
 public:
  RowAverages() = default;
  // classes 0: numbers. observed: NaN where it is not known, empty where none is
  RowAverages(Index rows, Index classes, std::span<const double> observed);

  void add(const RowPredictions& draw);
  void merge(const RowAverages& other);  // of the same rows

  std::int64_t draws() const { return predicted_.count(); }
  Index rows() const { return rows_; }
  Mat mean() const;         // rows x classes: probabilities; or rows x 1
  Mat sd() const;           // of each probability over the draws; or of the predictive law. NaN below two draws
  Vec log_density() const;  // log of the averaged density of what was observed; NaN: it was not
  // Of numbers: the shares of replicates that were less than what was observed, and no more; NaN: it was not.
  Vec below() const { return share_of_known(below_); }
  Vec not_above() const { return share_of_known(not_above_); }
  void score(Scorer& scorer) const;

  static void fields(auto& self, auto&& visit) {
    visit("predicted", self.predicted_);
    visit("beyond", self.beyond_);
    visit("variance", self.variance_);
    visit("log_density", self.log_density_);
    visit("below", self.below_);
    visit("not_above", self.not_above_);
  }

 private:
  void add_predicted(const Mat& predicted);
  Vec share_of_known(const Vec& counts) const;

  Index rows_ = 0, classes_ = 0;
  std::span<const double> observed_;
  RunningMoments predicted_;  // probabilities, column after column; or means
  Vec beyond_;                // beside them: 0, or infinite or NaN where that was predicted
  Vec finite_;                // scratch
  Vec variance_;              // of numbers: the sum of sd_d^2
  Vec log_density_;           // log of the sum of densities
  Vec below_, not_above_;     // of numbers: how many replicates were less than what was observed, and no more
};

}  // namespace quasar
