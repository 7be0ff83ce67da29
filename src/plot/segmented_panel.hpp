// A series with the states of its points: bands in the states' colours behind it, their levels as steps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <quasar/figure.hpp>

namespace quasar {

struct SegmentedSeries {
  std::vector<double> x, y;               // y: NaN where it is missing
  std::vector<int> states;                // of every point, from 0
  std::vector<double> levels;             // of every state: the mean of its points, say
  std::vector<std::size_t> starts = {0};  // where each sequence begins: lines do not go from one to the next
  std::vector<std::string> names = {};    // of the sequences: borders between them; empty: none
  bool points = false;                    // rather than lines, which tell nothing of values without an order
};

std::string state_name(int state);  // "state 1" of state 0, as legends have it

// Series "state 1", ... are in it, so that the same state has the same colour in all panels of a figure.
Panel segmented_panel(const SegmentedSeries& series);

}  // namespace quasar
