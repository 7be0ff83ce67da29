#include "predict/row_averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quasar {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), unknown = std::numeric_limits<double>::quiet_NaN();

double log_add(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return unknown;
  const double larger = std::max(a, b);
  if (!std::isfinite(larger)) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

void predict_rows(Predictor& predictor, Index begin, Index rows, Replicates replicates, RowPredictions& out) {
  const bool observed = !predictor.observed().empty();
  out.predicted.resize(rows, prediction_columns(predictor));
  out.log_density.resize(observed ? rows : 0);
  out.replicate.resize(replicates == Replicates::drawn ? rows : 0);
  predictor.predict(begin, out.predicted);
  if (observed) predictor.log_density(begin, out.log_density);
  if (replicates == Replicates::drawn) predictor.replicate(begin, out.replicate);
}

RowAverages::RowAverages(Index rows, Index classes, std::span<const double> observed)
    : rows_(rows),
      classes_(classes),
      observed_(observed),
      predicted_(rows * std::max<Index>(classes, 1)),
      beyond_(Vec::Zero(rows * std::max<Index>(classes, 1))),
      variance_(Vec::Zero(classes == 0 ? rows : 0)),
      log_density_(Vec::Constant(std::ssize(observed), -infinity)),
      below_(Vec::Zero(classes == 0 ? std::ssize(observed) : 0)),
      not_above_(below_) {
  for (Index i = 0; i < log_density_.size(); ++i) {
    if (std::isnan(observed[static_cast<std::size_t>(i)])) log_density_[i] = unknown;
  }
}

// Running moments of numbers whose differences overflow would be NaN.
void RowAverages::add_predicted(const Mat& predicted) {
  constexpr double largest = std::numeric_limits<double>::max() / 4;
  finite_.resize(beyond_.size());
  for (Index i = 0; i < finite_.size(); ++i) {
    const double value = predicted.data()[i];  // column after column
    const bool fits = std::abs(value) < largest;
    finite_[i] = fits ? value : 0;
    if (!fits) beyond_[i] += value * infinity;
  }
  predicted_.add(finite_);
}

void RowAverages::add(const RowPredictions& draw) {
  add_predicted(draw.predicted);
  for (Index i = 0; i < log_density_.size(); ++i) log_density_[i] = log_add(log_density_[i], draw.log_density[i]);
  if (classes_ > 0) return;
  variance_ += draw.predicted.col(1).cwiseAbs2();
  for (Index i = 0; i < draw.replicate.size(); ++i) {
    if (std::isnan(draw.replicate[i])) beyond_[i] = unknown;
  }
  if (draw.replicate.size() == 0) return;
  for (Index i = 0; i < below_.size(); ++i) {
    const double observed = observed_[static_cast<std::size_t>(i)];
    if (draw.replicate[i] < observed) below_[i] += 1;
    if (draw.replicate[i] <= observed) not_above_[i] += 1;
  }
}

void RowAverages::merge(const RowAverages& other) {
  predicted_.merge(other.predicted_);
  beyond_ += other.beyond_;
  variance_ += other.variance_;
  below_ += other.below_;
  not_above_ += other.not_above_;
  for (Index i = 0; i < log_density_.size(); ++i) log_density_[i] = log_add(log_density_[i], other.log_density_[i]);
}

Mat RowAverages::mean() const { return (predicted_.mean() + beyond_).reshaped(rows_, std::max<Index>(classes_, 1)); }

Mat RowAverages::sd() const {
  Vec variance = predicted_.variance();
  if (classes_ == 0) {
    if (draws() == 1) variance.setZero();  // the law given the draw is all there is
    variance += variance_ / static_cast<double>(draws());
  }
  return (variance + beyond_.cwiseAbs()).cwiseSqrt().reshaped(rows_, std::max<Index>(classes_, 1));
}

Vec RowAverages::log_density() const { return log_density_.array() - std::log(static_cast<double>(draws())); }

Vec RowAverages::share_of_known(const Vec& counts) const {
  Vec shares = counts / static_cast<double>(draws());
  for (Index i = 0; i < shares.size(); ++i) {
    if (std::isnan(observed_[static_cast<std::size_t>(i)])) shares[i] = unknown;
  }
  return shares;
}

void RowAverages::score(Scorer& scorer) const {
  const Mat predicted = mean();
  const Vec densities = log_density();
  const auto n = static_cast<double>(draws());
  const bool enough = draws() >= least_draws_of_interval;
  const auto share = [&](double count) { return enough ? count / n : unknown; };
  for (Index i = 0; i < std::ssize(observed_); ++i) {
    const double observed = observed_[static_cast<std::size_t>(i)];
    if (std::isnan(observed)) continue;
    if (classes_ > 0) {
      scorer.add_class(predicted.row(i).transpose(), static_cast<Index>(observed), densities[i]);
    } else {
      scorer.add_number({predicted(i, 0), observed, share(below_[i]), share(not_above_[i])}, densities[i]);
    }
  }
}

}  // namespace quasar
