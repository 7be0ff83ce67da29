// The density of a parameter in each chain, by Gaussian kernels on a grid.
//
// Bandwidth: Silverman's rule 0.9 s n^(-1/5) (1986, p. 48) with s the smaller of the sd and what the shortest interval
// with a quarter of the draws would make it if they were normal. Where there are several modes that interval lies in
// one of them, so that they are not smeared into each other as by the sd or the quartiles of the whole.
//
// An end at which draws pile up is taken for a bound of the parameter, and what a kernel has beyond it is reflected;
// otherwise the grid goes on for three bandwidths. Draws far out, beyond half the distance of the 1 % and 99 %
// quantiles from them, are counted but not in the picture.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "report/parameter_draws.hpp"

namespace quasar::report {

struct ChainDensities {
  double low = 0, high = 0;  // of the grid
  Mat heights;               // points x chains; 0 of a chain that has no finite draw
};

ChainDensities densities_of(const ParameterDraws& draws, Index points);

class Densities {
 public:
  explicit Densities(const PictureSize& size);
  void add(const ParameterDraws& draws);
  nlohmann::ordered_json json() const;

 private:
  Index points_;
  std::vector<double> low_, high_;
  std::vector<std::uint8_t> heights_;  // parameter, chain, point; 255: the highest of the parameter
};

}  // namespace quasar::report
