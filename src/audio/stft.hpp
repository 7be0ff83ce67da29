// The short-time Fourier transform of a real signal, and the signal of a transform.
//
//   X_kj = sum_n w_n x_{s_j + n} exp(-2 pi i k n / N),  n = 0 .. N-1,  k = 0 .. N/2,  s_j = (j - c) H
//
// with window w, frame length N and hop H. x is 0 before its first and after its last sample, and there is a frame at
// every multiple of H that reaches any sample of x (c is the number of those that begin before the first). So each
// sample, at the ends too, lies under all the windows that it would lie under in a signal without ends, and the sum of
// their squares depends on its place modulo H alone: W(t) = sum_j w_{t - jH}^2.
//
// The inverse overlaps, adds and divides by W:  x_t = sum_j w_{t - s_j} y_j(t - s_j) / W(t),  y_j the inverse transform
// of column j. For a matrix that is a transform this is the signal itself, whatever the hop. For any other it is the
// signal whose transform is nearest to it in least squares, all N bins of a frame counted (Griffin & Lim 1984, "Signal
// estimation from modified short-time Fourier transform", IEEE Transactions on Acoustics, Speech, and Signal Processing
// 32(2), eq. 6).
#pragma once

#include <quasar/core.hpp>

#include "audio/real_fft.hpp"

namespace quasar {

// Periodic windows, n = 0 .. N-1: sin(pi n/N), its square, 1. They serve for analysis and for synthesis. The first is
// the square root of a Hann window: with a hop of N/2, W = 1 and white noise of variance 1 has N/2 as the mean of
// |X_kj|^2.
enum class Window { sqrt_hann, hann, rectangular };

struct StftSettings {
  Index frame = 1024;  // samples
  Index hop = 512;
  Window window = Window::sqrt_hann;
};

class Stft {  // holds the frame it works on: one object for each thread
 public:
  // UsageError: a frame or a hop that is not positive, or windows that leave places (nearly) uncovered, where the
  // smallest W is below a hundredth of the largest.
  explicit Stft(const StftSettings& settings);

  Index bins() const { return fft_.bins(); }
  Index frames(Index samples) const;  // of a signal of so many samples, at least 1
  const Vec& window() const { return window_; }

  Eigen::MatrixXcd transform(In samples);  // bins x frames. UsageError: no samples
  // UsageError: not of the size that so many samples have. No frame allocates
  // anything, though FFTW does where N has a large prime factor.
  Vec inverse(const Eigen::Ref<const Eigen::MatrixXcd>& transform, Index samples);

 private:
  Index first_frame() const;  // s_0 / H

  Index hop_;
  RealFft fft_;
  Vec window_;
  Vec window_sum_;  // W(t), t = 0 .. H-1
};

}  // namespace quasar
