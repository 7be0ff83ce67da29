// Sound in the time-frequency plane, in units in which its mean square is 1.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

#include "audio/stft.hpp"
#include "speech/speech_model.hpp"

namespace quasar {

// DataError, beginning with the name: no samples, or not finite, or so large or small that squares are not.
void check_samples(In samples, const std::string& name);
double unit_of(In samples);  // to divide them by: 1, or a power of 2 near the largest, where that is far from 1

// Pauses of digital silence: frames of a transform that hold anything but zeros, and the samples that are not in a row
// of as many zeros as a frame has, or more.
std::vector<Index> sounding_frames(const Eigen::MatrixXcd& transform);
Index sounding_samples(In samples, const SpeechPlane& plane);

void check_plane(const SpeechPlane& plane);  // UsageError: frames or hops that make no spectrogram
StftSettings stft_settings(const SpeechPlane& plane);

// |X|^2 of samples / rms. Nothing is smaller than what rounding to 16 bits leaves: digital silence has no logarithm.
Mat squares_of(const Eigen::MatrixXcd& transform, double rms);

// RunError: so many bytes are more than the machine has, and to ask for them would end the process.
void check_memory(double bytes, const std::string& what_needs_them);

// DataError: another rate than that of the plane.
void check_rate(int sample_rate, const SpeechPlane& plane);

}  // namespace quasar
