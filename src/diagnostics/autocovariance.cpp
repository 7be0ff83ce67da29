#include "diagnostics/autocovariance.hpp"

#include <algorithm>

#include "diagnostics/chains.hpp"

namespace quasar::diagnostics {
namespace {

bool has_only_factors_2_3_5(Index n) {
  for (const Index factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

// The transform is fast for products of 2, 3 and 5, and for real input when 4 divides the length.
Index fast_length(Index at_least) {
  Index quarter = std::max<Index>((at_least + 3) / 4, 1);
  while (!has_only_factors_2_3_5(quarter)) ++quarter;
  return 4 * quarter;
}

}  // namespace

Autocovariance::Autocovariance(Index draws)
    : draws_(draws), padded_(Vec::Zero(fast_length(2 * draws))), lags_(padded_.size()) {
  const auto frequencies = static_cast<std::size_t>(padded_.size() / 2 + 1);
  spectrum_.resize(frequencies);
  power_.resize(frequencies);
  fft_.SetFlag(Eigen::FFT<double>::HalfSpectrum);
}

void Autocovariance::add_power_spectrum(In chain) {
  padded_.head(draws_) = chain.array() - chain_mean(chain);
  fft_.fwd(spectrum_.data(), padded_.data(), padded_.size());
  for (std::size_t k = 0; k < power_.size(); ++k) power_[k] += std::norm(spectrum_[k]);
}

// Wiener-Khinchin: the autocovariance is the inverse transform of the power spectrum. Both are linear in the power, so
// one inverse transform serves all chains.
Eigen::Ref<const Vec> Autocovariance::operator()(const Mat& chains) {
  std::fill(power_.begin(), power_.end(), Complex(0));
  for (const auto& chain : chains.colwise()) add_power_spectrum(chain);
  fft_.inv(lags_.data(), power_.data(), lags_.size());
  lags_ /= static_cast<double>(chains.size());
  return lags_.head(draws_);
}

}  // namespace quasar::diagnostics

namespace quasar {

Vec autocorrelation(In chain) {
  if (chain.size() == 0) return {};
  diagnostics::Autocovariance autocovariance(chain.size());
  const Vec covariance = autocovariance(chain);
  return covariance / covariance[0];
}

}  // namespace quasar
