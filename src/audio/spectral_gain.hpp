// Plain ways to take noise off a spectrogram, to compare with: the noise is known from the first frames, where nobody
// speaks yet, and each entry is multiplied by a gain between 0 and 1.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

// All of |X|^2 (bins x frames), with the mean over the first `quiet` frames as the spectrum of the noise.

// max(floor, 1 - |N| / |X|) with |N| the mean of |X| there (Boll 1979, "Suppression of acoustic noise in speech using
// spectral subtraction", IEEE Transactions on Acoustics, Speech, and Signal Processing 27(2)).
Mat spectral_subtraction(const Mat& squares, Index quiet, double floor = 0.02);

// max(0, 1 - N / |X|^2): Wiener's filter with the speech at what is left of the square.
Mat wiener_gain(const Mat& squares, Index quiet);

// xi / (1 + xi), the ratio xi of speech to noise smoothed over frames with weight `memory` of the frame before, and no
// smaller than -25 dB (Ephraim and Malah 1984, "Speech enhancement using a minimum mean-square error short-time
// spectral amplitude estimator", the same Transactions 32(6): the decision-directed ratio).
Mat decision_directed_gain(const Mat& squares, Index quiet, double memory = 0.98);

}  // namespace quasar
