// A figure as SVG text: no fonts, scripts or files from elsewhere.
#pragma once

#include <string>

#include <quasar/figure.hpp>

namespace quasar {

struct SvgLook {
  // false: part of a page, whose colour of text it takes and whose background shows through, light or dark
  bool on_paper = true;
  std::string note = {};  // a line at the foot
};

std::string svg(const Figure& figure, const SvgLook& look = {});

}  // namespace quasar
