#include "front/segment_facts.hpp"

#include <limits>

namespace quasar {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<Visits> visits_of(const Segmentation& found) {
  std::vector<Visits> all(static_cast<std::size_t>(found.states()));
  for (const Segment& segment : found.segments) {
    Visits& state = all[static_cast<std::size_t>(segment.state)];
    state.points += segment.last - segment.first + 1;
    ++state.visits;
  }
  return all;
}

Vec followers(const Segmentation& found, Index state) {
  Vec next = found.model.transition.row(state);
  next[state] = 0;
  const double leaves = next.sum();
  return leaves > 1e-12 ? Vec(next / leaves) : Vec::Constant(next.size(), undefined);
}

double spread(double sd, Index points) { return sd > 0 || points > 1 ? sd : undefined; }

Vec changes_of(const SegmentReport& report) {
  Vec changes = report.found.change_probability;
  if (changes.size() > 0) changes(report.series.data.starts).setConstant(undefined);
  return changes;
}

}  // namespace quasar
