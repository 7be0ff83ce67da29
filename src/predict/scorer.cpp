#include "predict/scorer.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {
namespace {

// Whether y lies between the quantiles q_a and q_{1-a} of its law F, a = (1 - level)/2: F(y) >= a and F(y-) <= 1 - a.
double inside(const PredictedNumber& row, double level) {
  const double tail = (1 - level) / 2;
  if (std::isnan(row.below)) return Scores::none;
  return row.not_above >= tail && row.below <= 1 - tail ? 1 : 0;
}

// Bin b of n holds b/n < p <= (b + 1)/n.
std::size_t bin_of(double probability, std::size_t bins) {
  const double place = std::ceil(probability * static_cast<double>(bins)) - 1;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)));
}

}  // namespace

void Scorer::add_class(In probabilities, Index observed, double log_density) {
  if (probabilities.hasNaN() || std::isnan(log_density)) {
    ++unpredicted_;
    return;
  }
  Index best = 0;
  const double confidence = probabilities.maxCoeff(&best);
  const double right = best == observed ? 1 : 0, p = probabilities[observed];
  ++classes_seen_;
  log_density_ += log_density;
  right_ += right;
  brier_ += probabilities.squaredNorm() - p * p + (p - 1) * (p - 1);
  Bin& bin = bins_[bin_of(confidence, bins)];
  bin.rows += 1;
  bin.right += right;
  bin.confidence += confidence;
}

void Scorer::add_number(const PredictedNumber& row, double log_density) {
  if (std::isnan(row.mean) || std::isnan(log_density)) {
    ++unpredicted_;
    return;
  }
  const double error = row.observed - row.mean;
  ++numbers_seen_;
  log_density_ += log_density;
  squares_ += error * error;
  deviations_ += std::abs(error);
  inside_50_ += inside(row, 0.5);
  inside_90_ += inside(row, 0.9);
}

Scores Scorer::result() const {
  Scores scores;
  scores.rows = classes_seen_ + numbers_seen_ + unpredicted_;
  scores.unpredicted = unpredicted_;
  if (unpredicted_ > 0) return scores;
  const auto n = static_cast<double>(scores.rows);
  if (scores.rows > 0) scores.log_score = log_density_ / n;
  if (classes_seen_ > 0) {
    scores.accuracy = right_ / n;
    scores.error = (n - right_) / n;
    scores.brier = brier_ / n;
    scores.calibration_error = 0;
    for (const Bin& bin : bins_) scores.calibration_error += std::abs(bin.right - bin.confidence) / n;
  }
  if (numbers_seen_ > 0) {
    scores.rmse = std::sqrt(squares_ / n);
    scores.mae = deviations_ / n;
    scores.coverage_50 = inside_50_ / n;
    scores.coverage_90 = inside_90_ / n;
  }
  return scores;
}

}  // namespace quasar
