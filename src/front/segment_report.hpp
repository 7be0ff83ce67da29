// What is said of a segmentation: as text, as JSON, as a table with the state of every point. Here states, points and
// steps are counted from 1.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "front/segment.hpp"
#include "front/series.hpp"
#include "io/text_output.hpp"

namespace quasar {

struct SegmentReport {
  const SeriesTable& series;
  const SegmentSettings& settings;
  const Segmentation& found;

  std::string text() const;
  nlohmann::ordered_json to_json() const;
  void write_csv(TextOutput& out) const;
  std::vector<std::string> warnings() const;
};

}  // namespace quasar
