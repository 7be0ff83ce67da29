// The draws of every chain in the order they were made, as many as a page can hold.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "report/parameter_draws.hpp"

namespace quasar::report {

// Numbers 1 .. size, at most `most` of them, evenly spaced, the first and the last among them.
std::vector<Index> evenly(Index size, Index most);

// A draw becomes one of 65535 steps between the least and the largest of its parameter: no eye sees the difference.
class Traces {
 public:
  explicit Traces(const PictureSize& size);
  void add(const ParameterDraws& draws);
  nlohmann::ordered_json json() const;

 private:
  std::vector<Index> at_;
  std::vector<double> low_, high_;
  std::vector<std::uint16_t> steps_;  // parameter, chain, draw
};

}  // namespace quasar::report
