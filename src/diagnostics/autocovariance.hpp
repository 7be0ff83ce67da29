// Autocovariance of several chains by fast Fourier transform.
#pragma once

#include <unsupported/Eigen/FFT>

#include <complex>
#include <vector>

#include <quasar/core.hpp>

namespace quasar::diagnostics {

class Autocovariance {
 public:
  explicit Autocovariance(Index draws);

  // gamma_t = 1/n sum_i (x_i - m)(x_{i+t} - m) for t = 0 .. n-1, averaged over the chains (columns), each about its own
  // mean m. The divisor n, not n - t, keeps the sequence positive definite (Geyer 1992). Valid until the next call.
  Eigen::Ref<const Vec> operator()(const Mat& chains);

 private:
  using Complex = std::complex<double>;

  void add_power_spectrum(In chain);

  Index draws_;
  Vec padded_;  // a centred chain, then zeros: circular correlation becomes linear
  Vec lags_;
  std::vector<Complex> spectrum_, power_;  // non-negative frequencies only: the input is real
  Eigen::FFT<double> fft_;
};

}  // namespace quasar::diagnostics
