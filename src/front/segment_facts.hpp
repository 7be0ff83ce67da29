// What a report tells of states beside what was fitted, alike in text and in JSON. NaN is what is not defined: "-" in
// tables, null in JSON.
#pragma once

#include <vector>

#include "front/segment_report.hpp"

namespace quasar {

struct Visits {
  Index points = 0, visits = 0;
  double mean_stay() const { return static_cast<double>(points) / static_cast<double>(visits); }
};

std::vector<Visits> visits_of(const Segmentation& found);

// Where it goes when it leaves; NaN: it never does.
Vec followers(const Segmentation& found, Index state);

// A single point tells nothing of a spread.
double spread(double sd, Index points);

// How probable a change is at each point; the first point of a sequence cannot be one.
Vec changes_of(const SegmentReport& report);

}  // namespace quasar
