// Sound in the time-frequency plane, in units in which its mean square is 1.
#pragma once

#include <quasar/core.hpp>

#include "audio/stft.hpp"
#include "speech/speech_model.hpp"

namespace quasar {

double root_mean_square(In samples);
void check_plane(const SpeechPlane& plane);  // UsageError: frames or hops that make no spectrogram
StftSettings stft_settings(const SpeechPlane& plane);

// |X|^2 of samples / rms. Nothing is smaller than what rounding to 16 bits leaves: digital silence has no logarithm.
Mat squares_of(const Eigen::MatrixXcd& transform, double rms);

// DataError: another rate than that of the plane.
void check_rate(int sample_rate, const SpeechPlane& plane);

}  // namespace quasar
