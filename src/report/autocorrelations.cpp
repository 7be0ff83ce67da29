#include "report/autocorrelations.hpp"

#include "diagnostics/chains.hpp"
#include "report/base64.hpp"

namespace quasar::report {
namespace {

constexpr Index lags_budget = 2'000'000, least_lags = 31, most_lags = 101;
constexpr std::int8_t undefined = -128;

}  // namespace

Vec first_autocorrelations(In chain, Index lags) {
  const Index n = chain.size();
  const Vec centred = chain.array() - diagnostics::chain_mean(chain);
  const double variance = centred.squaredNorm();
  Vec found(lags);
  for (Index lag = 0; lag < lags; ++lag) found[lag] = centred.head(n - lag).dot(centred.tail(n - lag)) / variance;
  return found;  // 0 / 0 of a constant chain
}

Autocorrelations::Autocorrelations(const PictureSize& size)
    : lags_(std::min(size.draws, size.share_of(lags_budget, least_lags, most_lags))) {
  values_.reserve(static_cast<std::size_t>(size.parameters * size.chains * lags_));
}

void Autocorrelations::add(const ParameterDraws& draws) {
  for (const auto& chain : draws.by_chain().colwise()) {
    for (const double rho : first_autocorrelations(chain, lags_)) {
      values_.push_back(std::isfinite(rho) ? static_cast<std::int8_t>(std::round(127 * std::clamp(rho, -1.0, 1.0)))
                                           : undefined);
    }
  }
}

nlohmann::ordered_json Autocorrelations::json() const { return {{"lags", lags_}, {"data", base64(values_)}}; }

}  // namespace quasar::report
