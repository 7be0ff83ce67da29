// The discrete Fourier transform of real numbers and its inverse, by FFTW (Frigo & Johnson 2005, "The design and
// implementation of FFTW3", Proceedings of the IEEE 93(2)).
//
//   forward:  X_k = sum_n x_n exp(-2 pi i k n / N),  k = 0 .. N/2 (the others are their conjugates)
//   backward: x_n = sum_k X_k exp(+2 pi i k n / N) over all k, which is N times the inverse; the imaginary parts of X_0
//             and, where N is even, of X_{N/2} are left out, as no real x has any
//
// Plans are chosen by rule, never by measurement (FFTW_ESTIMATE): the same numbers give the same bits in every run.
#pragma once

#include <complex>
#include <memory>

#include <quasar/core.hpp>

namespace quasar {

class RealFft {  // holds its numbers: one object for each thread
 public:
  explicit RealFft(Index size);  // at least 1
  RealFft(RealFft&&) noexcept;
  RealFft& operator=(RealFft&&) noexcept;
  ~RealFft();

  Index size() const;
  Index bins() const { return size() / 2 + 1; }
  Eigen::Map<Vec> samples();
  Eigen::Map<Eigen::VectorXcd> spectrum();
  void forward();   // from samples to spectrum
  void backward();  // from spectrum to samples; what the spectrum holds afterwards is not said

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace quasar
