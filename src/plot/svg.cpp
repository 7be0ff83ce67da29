#include "plot/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plot/field.hpp"
#include "plot/marks.hpp"
#include "plot/styles.hpp"
#include "plot/svg_text.hpp"

namespace quasar {
namespace {

constexpr double border = 12, between = 22, note_font = 11;

// Of the field inside the axes: panels side by side are smaller.
Size field_size(int columns, bool wide) {
  if (columns <= 1) return wide ? Size{880, 220} : Size{560, 320};
  return columns == 2 ? Size{370, 250} : Size{270, 190};
}

struct Legend {
  std::string elements;
  Size size;
};

Legend draw_legend(const std::vector<LegendEntry>& entries, double width) {
  Legend legend{{}, {0, 0}};
  double x = 0, y = entries.empty() ? 0 : line_height;
  for (const LegendEntry& entry : entries) {
    const double needed = 28 + text_width(entry.text, font_size);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += line_height;
    }
    legend.elements += legend_mark(entry.mark, entry.style, x, y - 9) + text_element(x + 28, y - 5, entry.text);
    legend.size.width = std::max(legend.size.width, x + needed);
    x += needed + 16;
  }
  legend.size.height = y;
  return legend;
}

// Panels row by row. A column is as wide, a row as high, as the panel that needs most for its axes.
struct Grid {
  std::size_t columns;
  Size inside;  // of every panel
  std::vector<Field> fields;
  std::vector<double> left, above, below;  // of each column, of each row

  explicit Grid(const Figure& figure)
      : columns(static_cast<std::size_t>(
            std::clamp(figure.columns, 1, std::max(1, static_cast<int>(figure.panels.size()))))),
        inside(field_size(static_cast<int>(columns), figure.wide)),
        left(columns),
        above((figure.panels.size() + columns - 1) / columns),
        below(above.size()) {
    fields.reserve(figure.panels.size());
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      const Field& field = fields.emplace_back(figure.panels[i], inside);
      const auto most = [](double& so_far, double here) { so_far = std::max(so_far, here); };
      most(left[i % columns], field.left());
      most(above[i / columns], field.above());
      most(below[i / columns], field.below());
    }
  }

  Size size() const { return corner(columns, above.size()); }
  Size field_at(std::size_t i) const {
    const Size cell = corner(i % columns, i / columns);
    return {cell.width + left[i % columns], cell.height + above[i / columns]};
  }

 private:
  Size corner(std::size_t column, std::size_t row) const {
    Size at{0, 0};
    for (std::size_t i = 0; i < column; ++i) at.width += left[i] + inside.width + between;
    for (std::size_t i = 0; i < row; ++i) at.height += above[i] + inside.height + below[i] + 10;
    return at;
  }
};

std::string head(const Figure& figure, const SvgLook& look, const Size& size) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-size=\"{2}\" fill=\"currentColor\"{3}>\n<title>{4}</title>\n<desc>{5}</desc>\n",
      pixels(std::ceil(size.width)), pixels(std::ceil(size.height)), font_size,
      look.on_paper ? " font-family=\"sans-serif\" color=\"#1a1a1a\"" : "", escaped(figure.name),
      escaped(figure.caption));
  if (look.on_paper) text += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  return text;
}

}  // namespace

std::string svg(const Figure& figure, const SvgLook& look) {
  const Styles styles(figure);
  const Grid grid(figure);
  const Size panels = grid.size();
  const Legend legend = draw_legend(styles.legend(), panels.width);
  const double top = border + legend.size.height + 4;

  const double note_width = text_width(look.note, note_font), foot = look.note.empty() ? 0 : line_height;
  const double width = std::max({panels.width - between + 8, legend.size.width, note_width});

  std::string text = head(figure, look, {2 * border + width, top + panels.height + foot});
  text += fmt::format("<g class=\"legend\" transform=\"translate({0} {0})\">\n{1}</g>\n", border, legend.elements);
  for (std::size_t i = 0; i < grid.fields.size(); ++i) {
    const Field& field = grid.fields[i];
    const Size at = grid.field_at(i);
    text += fmt::format("<g class=\"panel\" transform=\"translate({} {})\">\n", pixels(border + at.width),
                        pixels(top + at.height));
    text += draw(field, styles) + "</g>\n";
  }
  if (!look.note.empty()) {
    text += text_element(border, top + panels.height + foot - 7, look.note,
                         fmt::format("class=\"note\" font-size=\"{}\" fill-opacity=\"0.75\"", note_font));
  }
  return text + "</svg>\n";
}

}  // namespace quasar
