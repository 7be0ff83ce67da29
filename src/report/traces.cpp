#include "report/traces.hpp"

#include "report/base64.hpp"

namespace quasar::report {
namespace {

constexpr Index draws_budget = 4'000'000, least_draws = 20, most_draws = 1000;
constexpr double last_step = 65534;
constexpr std::uint16_t not_finite = 65535;
constexpr double largest = std::numeric_limits<double>::max() / 4;  // so that high - low is a number

}  // namespace

std::vector<Index> evenly(Index size, Index most) {
  const Index count = std::min(size, most);
  std::vector<Index> chosen;
  for (Index i = 0; i < count; ++i) chosen.push_back(count == 1 ? size : 1 + i * (size - 1) / (count - 1));
  return chosen;
}

Traces::Traces(const PictureSize& size)
    : at_(evenly(size.draws, size.share_of(draws_budget, least_draws, most_draws))) {
  steps_.reserve(static_cast<std::size_t>(size.parameters * size.chains) * at_.size());
}

void Traces::add(const ParameterDraws& draws) {
  const auto finite = draws.finite();
  const double low = finite.empty() ? 0 : std::max(finite.front(), -largest);
  const double high = finite.empty() ? 0 : std::min(finite.back(), largest);
  const double scale = high > low ? last_step / (high - low) : 0;
  low_.push_back(low);
  high_.push_back(high);
  for (const auto& chain : draws.by_chain().colwise()) {
    for (const Index draw : at_) {
      const double value = chain[draw - 1];
      const double step = std::clamp(std::round((value - low) * scale), 0.0, last_step);
      steps_.push_back(std::isfinite(value) ? static_cast<std::uint16_t>(step) : not_finite);
    }
  }
}

nlohmann::ordered_json Traces::json() const {
  return {{"at", at_}, {"low", low_}, {"high", high_}, {"data", base64(steps_)}};
}

}  // namespace quasar::report
