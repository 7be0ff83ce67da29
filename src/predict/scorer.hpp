// Scores of rows that come one by one: quasar/scores.hpp.
#pragma once

#include <array>

#include <quasar/core.hpp>
#include <quasar/scores.hpp>

namespace quasar {

struct PredictedNumber {
  double mean, observed;
  double below, not_above;  // the law's probability of less than what was observed, and of no more; NaN: not known
};

class Scorer {
 public:
  // log_density: of what was observed.
  void add_class(In probabilities, Index observed, double log_density);
  void add_number(const PredictedNumber& row, double log_density);
  Scores result() const;

 private:
  static constexpr std::size_t bins = 15;
  struct Bin {
    double rows = 0, right = 0, confidence = 0;  // sums
  };

  Index classes_seen_ = 0, numbers_seen_ = 0, unpredicted_ = 0;
  double log_density_ = 0, right_ = 0, brier_ = 0;
  double squares_ = 0, deviations_ = 0, inside_50_ = 0, inside_90_ = 0;
  std::array<Bin, bins> bins_ = {};
};

}  // namespace quasar
