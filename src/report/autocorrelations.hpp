// How much a draw still has of those before it, in each chain.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "report/parameter_draws.hpp"

namespace quasar::report {

// The first lags of quasar::autocorrelation. So few are summed faster than transformed. NaN: the chain is constant or
// not finite.
Vec first_autocorrelations(In chain, Index lags);

class Autocorrelations {
 public:
  explicit Autocorrelations(const PictureSize& size);
  void add(const ParameterDraws& draws);
  nlohmann::ordered_json json() const;

 private:
  Index lags_;
  std::vector<std::int8_t> values_;  // parameter, chain, lag; in 127ths, -128: undefined
};

}  // namespace quasar::report
