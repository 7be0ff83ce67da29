// Columns in units of their standard deviations: of several, none outweighs the others then.
#pragma once

#include "models/sequences/fitted_hmm.hpp"

namespace quasar {

class ColumnUnits {
 public:
  ColumnUnits(const Sequences& data, bool standardize);  // false: as they are

  bool standardized() const { return standardized_; }
  Sequences of(const Sequences& data) const;
  Mat back(const Mat& values) const;
  Mat distances_back(const Mat& values) const;
  void back(FittedHmm& model) const;
  double log_likelihood_back(double log_likelihood, const Sequences& data) const;

 private:
  Vec mean_, sd_;
  bool standardized_;
};

}  // namespace quasar
