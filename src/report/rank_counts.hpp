// Rank plots: where the draws of each chain stand among those of all. Chains that agree are level, up to chance; one
// that is too high, too low, too narrow or too wide is not (Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021,
// section 4.1).
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "report/parameter_draws.hpp"

namespace quasar::report {

// How many draws of each chain have a rank in each bin. Of S draws the rank r is 1 .. S, equal draws share their mean
// rank, and of B bins it falls into number floor(B (r - 1/2) / S). NaN has no rank.
class RankCounts {
 public:
  explicit RankCounts(const PictureSize& size);
  void add(const ParameterDraws& draws);
  nlohmann::ordered_json json() const;

 private:
  void find_thresholds(std::span<const double> sorted);

  Index bins_;
  double unit_;                        // draws that count as one: more than one only of chains beyond 65535 draws
  double expected_;                    // count of a bin
  std::vector<double> thresholds_;     // of bins 1, 2, ...: the least draw in it or in one beyond
  std::vector<std::uint16_t> counts_;  // parameter, chain, bin
};

}  // namespace quasar::report
