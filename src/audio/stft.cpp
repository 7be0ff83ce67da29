#include "audio/stft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr Index longest_frame = Index{1} << 24;
constexpr double least_cover = 0.01;  // smallest W over largest: rounding errors grow by its inverse at most

Index checked_frame(const StftSettings& settings) {
  const auto [frame, hop, window] = settings;
  if (frame < 1 || frame > longest_frame) {
    throw UsageError(fmt::format("a frame of {} samples: 1 to {} are possible", frame, longest_frame));
  }
  if (hop < 1 || hop > frame) {
    throw UsageError(fmt::format("a hop of {} samples: 1 to {}, the length of a frame, are possible", hop, frame));
  }
  return frame;
}

Vec window_values(Window window, Index frame) {
  if (window == Window::rectangular) return Vec::Ones(frame);
  const double step = std::numbers::pi / static_cast<double>(frame);
  const Vec root = (step * Vec::LinSpaced(frame, 0, static_cast<double>(frame - 1))).array().sin();
  return window == Window::hann ? Vec(root.cwiseAbs2()) : root;
}

Vec sum_of_squares(const Vec& window, Index hop) {
  Vec sum = Vec::Zero(hop);
  for (Index n = 0; n < window.size(); ++n) sum[n % hop] += window[n] * window[n];
  return sum;
}

// The part of a frame that lies on the signal.
struct FramePart {
  Index start, begin, size;  // of the frame and of the part in the signal; of the part

  FramePart(Index frame_start, Index frame, Index samples)
      : start(frame_start),
        begin(std::max<Index>(frame_start, 0)),
        size(std::min(frame_start + frame, samples) - begin) {}
  Index offset() const { return begin - start; }
};

}  // namespace

Stft::Stft(const StftSettings& settings)
    : hop_(settings.hop),
      fft_(checked_frame(settings)),
      window_(window_values(settings.window, settings.frame)),
      window_sum_(sum_of_squares(window_, hop_)) {
  const double least = window_sum_.minCoeff();
  if (least <= 0 || least < least_cover * window_sum_.maxCoeff()) {
    throw UsageError(fmt::format(
        "frames of {} samples with a hop of {} leave samples uncovered between their windows; a hop of {} is usual",
        settings.frame, hop_, std::max<Index>(settings.frame / 2, 1)));
  }
}

Index Stft::first_frame() const { return -((fft_.size() - 1) / hop_); }

Index Stft::frames(Index samples) const { return (samples - 1) / hop_ - first_frame() + 1; }

Eigen::MatrixXcd Stft::transform(In samples) {
  if (samples.size() == 0) throw UsageError("a signal without samples has no transform");
  Eigen::MatrixXcd result(bins(), frames(samples.size()));
  auto frame = fft_.samples();
  for (Index j = 0; j < result.cols(); ++j) {
    const FramePart part((first_frame() + j) * hop_, fft_.size(), samples.size());
    frame.setZero();
    frame.segment(part.offset(), part.size) =
        samples.segment(part.begin, part.size).cwiseProduct(window_.segment(part.offset(), part.size));
    fft_.forward();
    result.col(j) = fft_.spectrum();
  }
  return result;
}

Vec Stft::inverse(const Eigen::Ref<const Eigen::MatrixXcd>& transform, Index samples) {
  if (samples < 1 || transform.rows() != bins() || transform.cols() != frames(samples)) {
    throw UsageError(
        fmt::format("a transform of {} x {} is not that of {} samples", transform.rows(), transform.cols(), samples));
  }
  Vec signal = Vec::Zero(samples);
  for (Index j = 0; j < transform.cols(); ++j) {
    const FramePart part((first_frame() + j) * hop_, fft_.size(), samples);
    fft_.spectrum() = transform.col(j);
    fft_.backward();
    signal.segment(part.begin, part.size) +=
        fft_.samples().segment(part.offset(), part.size).cwiseProduct(window_.segment(part.offset(), part.size));
  }
  const auto size = static_cast<double>(fft_.size());  // backward is so many times the inverse
  for (Index t = 0; t < samples; ++t) signal[t] /= size * window_sum_[t % hop_];
  return signal;
}

}  // namespace quasar
