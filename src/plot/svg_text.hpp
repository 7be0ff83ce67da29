// Text and numbers as an SVG file may hold them.
#pragma once

#include <string>
#include <string_view>

namespace quasar {

inline constexpr double font_size = 12, small_font = 11, line_height = 18;  // pixels

// For content and attributes alike. Bytes that are no UTF-8 and characters that XML cannot hold become U+FFFD.
std::string escaped(std::string_view text);

double text_width(std::string_view text, double size);  // pixels, estimated: fonts are the viewer's

std::string pixels(double value);  // to a hundredth, as short as can be

std::string text_element(double x, double y, std::string_view text, std::string_view attributes = {});

}  // namespace quasar
