#include "models/alpha/held_out_entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "core/place.hpp"

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

}  // namespace quasar
