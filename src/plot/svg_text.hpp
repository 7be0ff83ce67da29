// Text and numbers as an SVG file may hold them.
#pragma once

#include <string>
#include <string_view>

namespace quasar {

// For content and attributes alike. Bytes that are no UTF-8 and characters that XML cannot hold become U+FFFD.
std::string escaped(std::string_view text);

double text_width(std::string_view text, double font_size);  // pixels, estimated: fonts are the viewer's

std::string pixels(double value);  // to a hundredth, as short as can be

}  // namespace quasar
