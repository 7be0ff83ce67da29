#include "plot/styles.hpp"

#include <algorithm>
#include <array>

namespace quasar {
namespace {

// Told apart by the colour-blind (Okabe and Ito, "Color Universal Design", 2008) and legible on white and on black;
// their yellow is not, grey takes its place.
constexpr std::array<const char*, 7> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#8C8C8C"};
constexpr const char* nameless = "#8C8C8C";
// States can be many and their bands have no dashes: more hues, varied in lightness too, and none is the grey of the
// series itself.
constexpr std::array<const char*, 16> large_palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
                                                    "#7B3FA0", "#7A4A12", "#86B81B", "#C2185B", "#2F4B9B", "#A89A00",
                                                    "#00A5A8", "#F28C82", "#3F7D20", "#A88BD8"};
constexpr std::array<const char*, 4> dashes{"", "7 3", "2 3", "8 3 2 3"};  // when the colours begin again

}  // namespace

Styles::Styles(const Figure& figure) : colours_(palette) {
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.name.empty()) continue;
      auto name = std::find_if(names_.begin(), names_.end(), [&](const Name& n) { return n.text == series.name; });
      if (name == names_.end()) name = names_.insert(name, {series.name, {}});
      const auto same = [&](const Series* other) { return other->printed == series.printed; };
      if (std::none_of(name->shown.begin(), name->shown.end(), same)) name->shown.push_back(&series);
    }
  }
  // Colours go to ours: names that only the paper has, or that need none, come last.
  const auto has_ours = [](const Name& name) {
    return std::any_of(name.shown.begin(), name.shown.end(),
                       [](const Series* series) { return !series->printed && !series->plain; });
  };
  std::stable_partition(names_.begin(), names_.end(), has_ours);
  const auto has_bands = [](const Panel& panel) { return !panel.bands.empty(); };
  if (std::ranges::any_of(figure.panels, has_bands) || names_.size() > palette.size()) colours_ = large_palette;
}

int Styles::number_of(const std::string& name) const {
  const auto at = std::find_if(names_.begin(), names_.end(), [&](const Name& n) { return n.text == name; });
  return static_cast<int>(at - names_.begin());
}

Style Styles::of(const Series& series) const {
  if (series.printed) return {"currentColor", "5 3", series.name.empty() ? 0 : number_of(series.name), true};
  if (series.plain) return {.colour = "currentColor", .dashes = ""};
  if (series.name.empty()) return {.colour = nameless, .dashes = ""};
  const auto number = static_cast<std::size_t>(number_of(series.name));
  return {colours_[number % colours_.size()], dashes[number / colours_.size() % dashes.size()],
          static_cast<int>(number)};
}

std::string Styles::colour_of(const std::string& name) const {
  const auto number = static_cast<std::size_t>(number_of(name));
  return number < names_.size() ? colours_[number % colours_.size()] : nameless;
}

std::vector<LegendEntry> Styles::legend() const {
  std::vector<LegendEntry> entries;
  for (const Name& name : names_) {
    for (const Series* series : name.shown) {
      const bool told_apart = series->printed && name.shown.size() > 1;
      entries.push_back({told_apart ? name.text + ", printed" : name.text, series->mark, of(*series)});
    }
  }
  return entries;
}

}  // namespace quasar
