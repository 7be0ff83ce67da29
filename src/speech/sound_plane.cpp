#include "speech/sound_plane.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

void check_plane(const SpeechPlane& plane) {
  if (plane.sample_rate < 1) throw UsageError("needs the number of samples in a second");
  if (plane.frame % 2 != 0) throw UsageError(fmt::format("frame = {}: must be an even number", plane.frame));
  if (2 * plane.hop > plane.frame) {
    throw UsageError(fmt::format("hop = {}: must be half a frame of {} at most", plane.hop, plane.frame));
  }
}

double root_mean_square(In samples) { return std::sqrt(samples.squaredNorm() / static_cast<double>(samples.size())); }

StftSettings stft_settings(const SpeechPlane& plane) {
  return {.frame = plane.frame, .hop = plane.hop, .window = Window::sqrt_hann};
}

Mat squares_of(const Eigen::MatrixXcd& transform, double rms) {
  constexpr double steps = 32768;  // of 16 bits; an error spread evenly over a step has a twelfth of its square
  const auto frame = static_cast<double>(2 * (transform.rows() - 1));
  const double rounding = frame / 2 / (12 * steps * steps);
  return ((transform.cwiseAbs2().array() + rounding) / (rms * rms)).matrix();
}

void check_rate(int sample_rate, const SpeechPlane& plane) {
  if (sample_rate == plane.sample_rate) return;
  throw DataError(fmt::format(
      "{} samples a second, and the speech was learned from {}: resample it, with sox IN.wav -r {} OUT.wav for "
      "instance, or learn from speech of its rate",
      sample_rate, plane.sample_rate, plane.sample_rate));
}

}  // namespace quasar
