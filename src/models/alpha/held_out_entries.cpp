#include "models/alpha/held_out_entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "core/place.hpp"
#include "models/alpha/alpha_mixture.hpp"

namespace quasar {

HeldOutEntries hold_out(Intensities& data, double share, std::uint64_t seed) {
  std::vector<Index> seen;
  for (Index entry = 0; entry < data.squares.size(); ++entry) {
    if (!std::isnan(data.squares.data()[entry])) seen.push_back(entry);
  }
  const auto count = static_cast<Index>(std::llround(share * static_cast<double>(seen.size())));
  if (count < 1 || count >= std::ssize(seen)) {
    throw UsageError("alpha-mf: held_out must leave at least one entry, and take one");
  }
  std::vector<Index> chosen(at(count));
  Rng(seed).stream("held out").sample_without_replacement(std::ssize(seen), chosen);
  std::ranges::sort(chosen);
  HeldOutEntries held;
  for (const Index one : chosen) {
    double& square = data.squares.data()[seen[at(one)]];
    held.places.push_back(seen[at(one)]);
    held.squares.push_back(std::exchange(square, std::numeric_limits<double>::quiet_NaN()));
  }
  return held;
}

void HeldOutEntriesScore::add(AlphaMixture& model, In x) {
  here_.resize(std::ssize(model.settings().held_out.places));
  model.held_out_log_densities(x, here_);
  if (draws_++ == 0) {
    log_sum_ = here_;
    return;
  }
  for (Index e = 0; e < here_.size(); ++e) {
    const double high = std::max(log_sum_[e], here_[e]), low = std::min(log_sum_[e], here_[e]);
    log_sum_[e] = high + std::log1p(std::exp(low - high));
  }
}

double HeldOutEntriesScore::log_predictive_density() const {
  return log_sum_.mean() - std::log(static_cast<double>(draws_));
}

}  // namespace quasar
