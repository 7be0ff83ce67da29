#include "plot/segmented_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace quasar {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t many_segments = 400;  // bands are then narrower than eyes can tell, and points take the colours

struct Segment {
  std::size_t first, last;  // points
};

std::vector<Segment> segments_of(const SegmentedSeries& series) {
  std::vector<Segment> all;
  auto start = series.starts.begin();
  for (std::size_t i = 0; i < series.states.size(); ++i) {
    const bool starts = start != series.starts.end() && *start == i;
    if (starts) ++start;
    if (starts || all.empty() || series.states[i] != series.states[i - 1])
      all.push_back({i, i});
    else
      all.back().last = i;
  }
  return all;
}

// A point stands for all that is nearer to it than to its neighbours.
struct Reach {
  explicit Reach(const std::vector<double>& places) : x(places) {}
  double half(std::size_t i) const { return x.size() > 1 ? (x[i + 1] - x[i]) / 2 : 0.5; }
  double from(std::size_t i) const { return x[i] - (i > 0 ? half(i - 1) : half(0)); }
  double to(std::size_t i) const { return x[i] + (i + 1 < x.size() ? half(i) : half(x.size() > 1 ? i - 1 : 0)); }
  const std::vector<double>& x;
};

// The values as one line in grey, with gaps between the sequences.
Series line_of(const SegmentedSeries& series) {
  Series line;
  line.width = 0.8;
  auto start = series.starts.begin();
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (start != series.starts.end() && *start == i) {
      ++start;
      line.x.push_back(series.x[i]);
      line.y.push_back(gap);
    }
    line.x.push_back(series.x[i]);
    line.y.push_back(series.y[i]);
  }
  return line;
}

}  // namespace

std::string state_name(int state) { return fmt::format("state {}", state + 1); }

Panel segmented_panel(const SegmentedSeries& series) {
  const std::vector<Segment> segments = segments_of(series);
  const bool many = series.points || segments.size() > many_segments;
  const Reach reach(series.x);
  Panel panel;
  if (!series.x.empty()) panel.x.range = {{reach.from(0), reach.to(series.x.size() - 1)}};
  if (!many) panel.series.push_back(line_of(series));
  for (std::size_t s = 0; s < std::min(series.names.size(), series.starts.size()); ++s) {
    panel.borders.push_back({reach.from(series.starts[s]), series.names[s]});
  }
  std::vector<Series> points, steps;
  for (int state = 0; state < static_cast<int>(series.levels.size()); ++state) {
    points.push_back({.name = state_name(state), .mark = Series::Mark::points, .x = {}, .y = {}});
    steps.push_back({.name = state_name(state), .mark = Series::Mark::line, .x = {}, .y = {}, .width = 2.4});
  }
  for (const auto& [first, last] : segments) {
    const int state = series.states[first];
    const double from = reach.from(first), to = reach.to(last),
                 level = series.levels.at(static_cast<std::size_t>(state));
    panel.bands.push_back({from, to, state_name(state), fmt::format("{}", state + 1)});
    Series& step = steps[static_cast<std::size_t>(state)];
    step.x.insert(step.x.end(), {from, to, to});
    step.y.insert(step.y.end(), {level, level, gap});
  }
  for (std::size_t i = 0; many && i < series.x.size(); ++i) {
    Series& point = points[static_cast<std::size_t>(series.states[i])];
    point.x.push_back(series.x[i]);
    point.y.push_back(series.y[i]);
  }
  std::vector<Series>& shown = many ? points : steps;
  std::move(shown.begin(), shown.end(), std::back_inserter(panel.series));
  return panel;
}

}  // namespace quasar
