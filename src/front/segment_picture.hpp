// A picture of a segmentation: a panel for every column, with its states, levels and forecasts.
#pragma once

#include <string>

#include <quasar/figure.hpp>

#include "front/segment.hpp"
#include "front/series.hpp"

namespace quasar {

Figure picture_of(const SeriesTable& series, const SegmentSettings& settings, const Segmentation& found);

// A page that stands alone: the picture, and text below it.
std::string page_of(const Figure& figure, const std::string& text);

}  // namespace quasar
