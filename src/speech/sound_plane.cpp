#include "speech/sound_plane.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
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

void check_samples(In samples, const std::string& name) {
  constexpr double smallest = 1e-100, largest = 1e100;
  if (samples.size() == 0) throw DataError(name + ": no samples");
  if (!samples.allFinite()) throw DataError(name + ": some samples are not finite numbers");
  const double peak = samples.cwiseAbs().maxCoeff();
  if (peak == 0 || (peak >= smallest && peak <= largest)) return;
  throw DataError(
      fmt::format("{}: the loudest sample is {:.3g}, which is no sound; scale them so that it is about 1", name, peak));
}

double unit_of(In samples) {
  constexpr double faint = 1.0 / 64, full_scale = 32768;  // whole numbers of 16 bits stand as they are
  const double peak = samples.cwiseAbs().maxCoeff();
  return peak >= faint && peak <= full_scale ? 1 : std::exp2(std::ilogb(peak));
}

std::vector<Index> sounding_frames(const Eigen::MatrixXcd& transform) {
  std::vector<Index> found;
  for (Index frame = 0; frame < transform.cols(); ++frame) {
    if (!transform.col(frame).isZero(0)) found.push_back(frame);
  }
  return found;
}

Index sounding_samples(In samples, const SpeechPlane& plane) {
  Index sounding = samples.size(), zeros = 0;
  for (const double sample : samples) {
    zeros = sample == 0 ? zeros + 1 : 0;
    if (zeros == plane.frame) sounding -= plane.frame;
    if (zeros > plane.frame) --sounding;
  }
  return sounding;
}

StftSettings stft_settings(const SpeechPlane& plane) {
  return {.frame = plane.frame, .hop = plane.hop, .window = Window::sqrt_hann};
}

Mat squares_of(const Eigen::MatrixXcd& transform, double rms) {
  constexpr double steps = 32768;  // of 16 bits; an error spread evenly over a step has a twelfth of its square
  const auto frame = static_cast<double>(2 * (transform.rows() - 1));
  const double rounding = frame / 2 / (12 * steps * steps);
  return ((transform.cwiseAbs2().array() + rounding) / (rms * rms)).matrix();
}

void check_memory(double bytes, const std::string& what_needs_them) {
  constexpr double giga = 1e9;
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (bytes <= there) return;
  throw RunError(
      fmt::format("{} need about {:.3g} GB of memory, and the machine has {:.3g}: less sound at a time, or a larger "
                  "hop, needs less",
                  what_needs_them, bytes / giga, there / giga));
}

void check_rate(int sample_rate, const SpeechPlane& plane) {
  if (sample_rate == plane.sample_rate) return;
  throw DataError(fmt::format(
      "{} samples a second, and the speech was learned from {}: resample it, with sox IN.wav -r {} OUT.wav for "
      "instance, or learn from speech of its rate",
      sample_rate, plane.sample_rate, plane.sample_rate));
}

}  // namespace quasar
