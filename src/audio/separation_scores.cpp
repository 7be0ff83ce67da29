#include "audio/separation_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

void check_signal(In signal, const std::string& what) {
  if (signal.size() == 0) throw DataError(what + " has no samples");
  for (Index i = 0; i < signal.size(); ++i) {
    if (!std::isfinite(signal[i])) throw DataError(fmt::format("{}: sample {} is {}", what, i + 1, signal[i]));
  }
  if ((signal.array() == 0).all()) throw DataError(what + " is silent: ratios to silence are not defined");
}

void check_pair(In reference, In estimate) {
  if (reference.size() != estimate.size()) {
    throw DataError(fmt::format("the reference has {} samples, the estimate {}", reference.size(), estimate.size()));
  }
  check_signal(reference, "the reference");
  check_signal(estimate, "the estimate");
}

Index checked_length(const Mat& sources, Index taps) {
  if (sources.cols() == 0) throw UsageError("there are no sources to compare with");
  if (taps < 1) throw UsageError(fmt::format("a filter of {} taps: at least 1 is needed", taps));
  for (Index i = 0; i < sources.cols(); ++i) check_signal(sources.col(i), fmt::format("source {}", i + 1));
  if (sources.rows() / taps < sources.cols()) {
    throw DataError(fmt::format("{} samples of {} sources are too few for filters of {} taps; {} at least are needed",
                                sources.rows(), sources.cols(), taps, sources.cols() * taps));
  }
  return sources.rows();
}

// No score depends on the loudness of a signal, but its square has to be a number.
Vec at_full_scale(In signal) { return signal / signal.cwiseAbs().maxCoeff(); }

double decibels(double signal, double noise) {
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

// Sounds without high frequencies make equations that rounding turns singular. What hardly any filtered source has is
// then left out: the diagonal grows by the smallest power of ten times its rounding error that helps.
Eigen::LLT<Mat> factored(Mat equations) {
  Eigen::LLT<Mat> result(equations);
  const double largest = equations.diagonal().maxCoeff();
  double part = std::numeric_limits<double>::epsilon();
  while (result.info() != Eigen::Success && part < 1) {
    equations.diagonal().array() += part * largest;
    result.compute(equations);
    part *= 10;
  }
  return result;
}

}  // namespace

SeparationScorer::SeparationScorer(const Mat& sources, Index taps)
    : samples_(checked_length(sources, taps)),
      taps_(taps),
      fft_(static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(samples_ + taps - 1)))),
      spectra_(fft_.bins(), sources.cols()) {
  for (Index i = 0; i < sources.cols(); ++i) spectra_.col(i) = spectrum(at_full_scale(sources.col(i)));
  Mat equations = Mat::Zero(sources.cols() * taps, sources.cols() * taps);  // below the diagonal; the rest is the same
  for (Index j = 0; j < sources.cols(); ++j) {
    for (Index i = j; i < sources.cols(); ++i) {
      equations.block(i * taps, j * taps, taps, taps) = toeplitz(spectra_.col(i), spectra_.col(j));
    }
    of_source_.push_back(factored(equations.block(j * taps, j * taps, taps, taps)));
  }
  if (sources.cols() > 1) of_all_ = factored(std::move(equations));
}

SeparationScores SeparationScorer::score(In estimate, Index source) {
  if (source < 0 || source >= sources()) {
    throw UsageError(fmt::format("source {} of {} does not exist", source + 1, sources()));
  }
  if (estimate.size() != samples_) {
    throw DataError(fmt::format("the sources have {} samples, the estimate {}", samples_, estimate.size()));
  }
  check_signal(estimate, "the estimate");
  const Vec scaled = at_full_scale(estimate);
  const Eigen::VectorXcd estimated = spectrum(scaled);
  const Vec target = projection(estimated, source, 1, of_source_[static_cast<std::size_t>(source)]);
  const Vec explained = sources() == 1 ? target : projection(estimated, 0, sources(), of_all_);
  Vec artifacts = -explained;
  artifacts.head(samples_) += scaled;
  const Vec interference = explained - target;
  const double energy = target.squaredNorm();
  return {.sdr = decibels(energy, (interference + artifacts).squaredNorm()),
          .sir = decibels(energy, interference.squaredNorm()),
          .sar = decibels(explained.squaredNorm(), artifacts.squaredNorm())};
}

Eigen::VectorXcd SeparationScorer::spectrum(In signal) {
  fft_.samples().setZero();
  fft_.samples().head(signal.size()) = signal;
  fft_.forward();
  return fft_.spectrum();
}

// Element m + taps - 1 is sum_t left_t right_{t+m}, m = 1-taps .. taps-1. The transforms are long enough for none of
// these to be mixed with another.
Vec SeparationScorer::correlation(const Eigen::VectorXcd& left, const Eigen::VectorXcd& right) {
  fft_.spectrum() = left.conjugate().cwiseProduct(right);
  fft_.backward();
  Vec result(2 * taps_ - 1);
  result << fft_.samples().tail(taps_ - 1), fft_.samples().head(taps_);
  return result / static_cast<double>(fft_.size());
}

// Element (a, b) is the product of `left` delayed by a samples and `right` delayed by b.
Mat SeparationScorer::toeplitz(const Eigen::VectorXcd& left, const Eigen::VectorXcd& right) {
  const Vec lags = correlation(left, right);
  Mat result(taps_, taps_);
  for (Index b = 0; b < taps_; ++b) result.col(b) = lags.segment(taps_ - 1 - b, taps_);
  return result;
}

// Of an estimate on `count` sources and their delays.
Vec SeparationScorer::projection(const Eigen::VectorXcd& estimate, Index first, Index count,
                                 const Eigen::LLT<Mat>& equations) {
  Vec filters(count * taps_);
  for (Index i = 0; i < count; ++i) {
    filters.segment(i * taps_, taps_) = correlation(spectra_.col(first + i), estimate).tail(taps_);
  }
  equations.solveInPlace(filters);
  Eigen::VectorXcd filtered = Eigen::VectorXcd::Zero(fft_.bins());
  for (Index i = 0; i < count; ++i) {
    filtered += spectrum(filters.segment(i * taps_, taps_)).cwiseProduct(spectra_.col(first + i));
  }
  fft_.spectrum() = filtered;
  fft_.backward();
  return fft_.samples().head(samples_ + taps_ - 1) / static_cast<double>(fft_.size());
}

double scale_invariant_sdr(In reference, In estimate) {
  check_pair(reference, estimate);
  const Vec truth = at_full_scale(reference), found = at_full_scale(estimate);
  const Vec target = found.dot(truth) / truth.squaredNorm() * truth;
  return decibels(target.squaredNorm(), (target - found).squaredNorm());
}

Index segment_samples(int rate) { return std::llround(0.03 * rate); }

double segmental_snr(In reference, In estimate, int rate) {
  constexpr double lowest = -10, highest = 35;
  if (rate < 1) throw UsageError(fmt::format("a rate of {} Hz is not positive", rate));
  check_pair(reference, estimate);
  const Index frame = segment_samples(rate), hop = std::max<Index>(frame / 4, 1);
  if (frame < 1 || reference.size() < frame) {
    throw DataError(fmt::format("{} samples at {} Hz are shorter than a frame of 30 ms", reference.size(), rate));
  }
  const Vec places = Vec::LinSpaced(frame, 1, static_cast<double>(frame));
  const Vec hann = 0.5 - 0.5 * (2 * std::numbers::pi / static_cast<double>(frame + 1) * places.array()).cos();
  const Vec window = hann / std::max(reference.cwiseAbs().maxCoeff(), estimate.cwiseAbs().maxCoeff());
  double sum = 0;
  const Index frames = (reference.size() - frame) / hop + 1;
  for (Index j = 0; j < frames; ++j) {
    const auto part = reference.segment(j * hop, frame);
    const double signal = part.cwiseProduct(window).squaredNorm();
    const double error = (part - estimate.segment(j * hop, frame)).cwiseProduct(window).squaredNorm();
    sum += std::clamp(decibels(signal, error), lowest, highest);
  }
  return sum / static_cast<double>(frames);
}

}  // namespace quasar
