#include "predict/predictive_average.hpp"

#include <cmath>
#include <utility>

namespace quasar {

PredictiveAverage::PredictiveAverage(std::unique_ptr<Predictor> predictor)
    : predictor_(std::move(predictor)),
      averages_(predictor_->rows(), std::ssize(predictor_->classes()), predictor_->observed()) {}

void PredictiveAverage::add(std::span<const double> draw, const Rng& rng) {
  const bool numbers = predictor_->classes().empty();  // their coverage is counted by replicates
  predictor_->take(draw, rng);
  predict_rows(*predictor_, 0, predictor_->rows(), numbers ? Replicates::drawn : Replicates::none, last_);
  averages_.add(last_);
}

Scores PredictiveAverage::scores() const {
  Scorer scorer;
  averages_.score(scorer);
  return scorer.result();
}

Scores PredictiveAverage::last() const {
  Scorer scorer;
  const auto observed = predictor_->observed();
  for (Index i = 0; i < last_.predicted.rows(); ++i) {
    const double y = observed[static_cast<std::size_t>(i)];
    if (std::isnan(y)) continue;
    if (predictor_->classes().empty()) {
      scorer.add_number({last_.predicted(i, 0), y, Scores::none, Scores::none}, last_.log_density[i]);
    } else {
      scorer.add_class(last_.predicted.row(i).transpose(), static_cast<Index>(y), last_.log_density[i]);
    }
  }
  return scorer.result();
}

}  // namespace quasar
