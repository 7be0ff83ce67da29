// Figures as SVG: what is drawn is read back, through the labels of the axes, and compared with the data.
#include "plot/svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plot/segmented_panel.hpp"
#include "plot/styles.hpp"

namespace quasar {
namespace {

using Mark = Series::Mark;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Figure one_panel(Panel panel) { return {"figure-1", "what is shown", 1, {std::move(panel)}}; }

using Match = std::vector<std::string>;  // all of it, then its groups

std::vector<Match> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<Match> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex); at != std::sregex_iterator(); ++at) {
    all.emplace_back(at->begin(), at->end());
  }
  return all;
}

// What stands between two texts, the first time. Long texts are too much for std::regex, which calls itself for every
// letter.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) throw std::out_of_range("no " + begin);
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

// Every path: what it moves through, and its other attributes.
std::vector<std::pair<std::string, std::string>> paths(const std::string& text) {
  const std::string begin = "<path d=\"";
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::string element = text.substr(at, text.find('>', at) - at);
    const std::size_t quote = element.find('"', begin.size());
    all.emplace_back(element.substr(begin.size(), quote - begin.size()), element.substr(quote + 2));
  }
  return all;
}

std::string path_with(const std::string& text, const std::vector<std::string>& attributes) {
  for (const auto& [moves, others] : paths(text)) {
    for (const std::string& attribute : attributes) {
      if (others.starts_with(attribute)) return moves;
    }
  }
  throw std::out_of_range("no path with " + attributes.front());
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// "−1.5·10⁻³" as a number.
double number_of(std::string label) {
  const std::map<std::string, std::string> plain{{"−", "-"}, {"·10", "e"}, {"⁻", "-"}, {"⁰", "0"}, {"¹", "1"},
                                                 {"²", "2"}, {"³", "3"},   {"⁴", "4"}, {"⁵", "5"}, {"⁶", "6"},
                                                 {"⁷", "7"}, {"⁸", "8"},   {"⁹", "9"}};
  if (label.starts_with("10") && label.size() > 3 && static_cast<unsigned char>(label[2]) > 127) {
    label.replace(0, 2, "1e");
  }
  for (const auto& [fancy, simple] : plain) {
    for (std::size_t at = label.find(fancy); at != std::string::npos; at = label.find(fancy)) {
      label.replace(at, fancy.size(), simple);
    }
  }
  std::size_t used = 0;
  const double number = std::stod(label, &used);
  EXPECT_EQ(used, label.size()) << label;
  return number;
}

// An axis as a reader understands it: two labels say what all other places mean.
class ReadAxis {
 public:
  ReadAxis(const std::string& text, char axis, bool log) : log_(log) {
    const std::string inside = between(text, std::string("<g class=\"") + axis + "-ticks\"", "</g>");
    const std::regex one("<text x=\"([-\\d.]+)\" y=\"([-\\d.]+)\"[^>]*>([^<]*)</text>");
    for (std::sregex_iterator at(inside.begin(), inside.end(), one); at != std::sregex_iterator(); ++at) {
      const double pixel = axis == 'x' ? std::stod((*at)[1]) : std::stod((*at)[2]) - text_drop;
      labels_.emplace_back(pixel, number_of((*at)[3]));
    }
  }
  double value(double pixel) const {
    const auto [p0, v0] = labels_.front();
    const auto [p1, v1] = labels_.back();
    const double a = log_ ? std::log(v0) : v0, b = log_ ? std::log(v1) : v1;
    const double at = a + (pixel - p0) / (p1 - p0) * (b - a);
    return log_ ? std::exp(at) : at;
  }
  double a_pixel_at(double pixel) const { return std::abs(value(pixel + 1) - value(pixel)); }
  std::size_t size() const { return labels_.size(); }
  const std::vector<std::pair<double, double>>& labels() const { return labels_; }

 private:
  static constexpr double text_drop = 4;  // labels stand a little below their tick
  bool log_;
  std::vector<std::pair<double, double>> labels_;
};

using Places = std::vector<std::pair<double, double>>;

// What the path of this colour moves to, and, of a line, goes on to.
Places places(const std::string& text, const std::string& colour) {
  Places found;
  const std::string quoted = "=\"" + colour + "\"";
  const std::string moves = path_with(between(text, "<svg x=", "</svg>"),
                                      {"fill=\"none\" stroke" + quoted, "fill" + quoted, "stroke" + quoted});
  const std::regex one("[ML](-?[\\d.]+) ?(-?[\\d.]+)");
  for (std::sregex_iterator at(moves.begin(), moves.end(), one); at != std::sregex_iterator(); ++at) {
    found.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
  }
  return found;
}
const std::string first_colour = "#0072B2", second_colour = "#D55E00";

// A tag: its name, and its attributes with nothing but names, quotes and what is in them. Empty: it is none.
struct Tag {
  std::string name, attributes;
  bool closes, alone;
};
Tag tag_of(std::string inside) {
  const bool closes = inside.starts_with('/'), alone = inside.ends_with('/');
  inside = inside.substr(closes ? 1 : 0, inside.size() - (closes ? 1 : 0) - (alone ? 1 : 0));
  const std::size_t space = std::min(inside.find(' '), inside.size());
  return {inside.substr(0, space), inside.substr(space), closes, alone};
}

void expect_attributes(std::string rest) {
  while (!rest.empty()) {
    const std::size_t equals = rest.find("=\""), end = rest.find('"', equals + 2);
    ASSERT_TRUE(rest.starts_with(' ') && equals != std::string::npos && end != std::string::npos) << rest;
    EXPECT_EQ(rest.substr(0, equals).find_first_of("\"'&", 1), std::string::npos) << rest;
    rest.erase(0, end + 1);
  }
}

void expect_entities(const std::string& text) {
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::string entity = text.substr(at, text.find(';', at) + 1 - at);
    EXPECT_TRUE((std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}).contains(entity)) << entity;
  }
}

bool has_no_number(std::string attributes) {
  std::transform(attributes.begin(), attributes.end(), attributes.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return attributes.find("nan") != std::string::npos || attributes.find("inf\"") != std::string::npos ||
         attributes.find("inf ") != std::string::npos;
}

// Elements are closed in order, attributes are quoted, ampersands begin an entity, numbers are numbers.
void expect_well_formed(const std::string& text) {
  std::vector<std::string> open;
  expect_entities(text);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find_first_of("<>", at + 1);
    ASSERT_TRUE(end != std::string::npos && text[end] == '>') << text.substr(at, 80);
    const Tag tag = tag_of(text.substr(at + 1, end - at - 1));
    expect_attributes(tag.attributes);
    EXPECT_FALSE(has_no_number(tag.attributes)) << tag.attributes.substr(0, 200);
    if (tag.closes) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.name);
      open.pop_back();
    } else if (!tag.alone) {
      open.push_back(tag.name);
    }
  }
  EXPECT_EQ(count(text, "<"), count(text, ">"));
  EXPECT_TRUE(open.empty());
}

struct AxisCase {
  const char* name;
  bool log_x, log_y;
  std::vector<double> x, y;
};

TEST(Svg, PlacesAreTheDataAsTheAxesSay) {
  const AxisCase cases[] = {{"linear", false, false, {0, 1, 2.5, 7}, {-3, 0.25, 11, 4}},
                            {"decades", true, true, {1, 30, 5e4, 2e6}, {3e-7, 0.02, 1, 40}},
                            {"within a decade", true, true, {2, 3, 7, 9}, {0.2, 0.3, 0.4, 1.1}},
                            {"narrow", true, false, {100, 101, 102, 103}, {1e-9, 2e-9, 5e-9, 4e-9}},
                            {"large", false, false, {1e7, 2e7, 3.5e7, 6e7}, {123456.5, 123456.75, 123457, 123456.6}},
                            {"negative", false, false, {-4e-4, -1e-4, 2e-4, 3e-4}, {-70, -50, -20, -10}}};
  for (const AxisCase& one : cases) {
    SCOPED_TRACE(one.name);
    for (const Mark mark : {Mark::line, Mark::points}) {
      const std::string text =
          svg(one_panel({"", {.log = one.log_x}, {.log = one.log_y}, {{"a", mark, one.x, one.y}}}));
      expect_well_formed(text);
      const ReadAxis x(text, 'x', one.log_x), y(text, 'y', one.log_y);
      EXPECT_GE(x.size(), 3U);
      EXPECT_GE(y.size(), 3U);
      const Places found = places(text, first_colour);
      ASSERT_EQ(found.size(), 4U);
      for (std::size_t i = 0; i < 4; ++i) {
        constexpr double rounding = 0.05;  // pixels: hundredths, seen from labels that have them too
        EXPECT_NEAR(x.value(found[i].first), one.x[i], rounding * x.a_pixel_at(found[i].first));
        EXPECT_NEAR(y.value(found[i].second), one.y[i], rounding * y.a_pixel_at(found[i].second));
      }
    }
  }
}

TEST(Svg, LabelsAreOneTwoOrFiveApart) {
  for (const double width : {0.003, 0.7, 1.0, 42.0, 9e5}) {
    const std::string text = svg(one_panel({"", {.range = {{0, width}}}, {}, {{"a", Mark::line, {0, width}, {0, 1}}}}));
    const auto labels = ReadAxis(text, 'x', false).labels();
    ASSERT_GE(labels.size(), 4U);
    ASSERT_LE(labels.size(), 12U);
    const double step = labels[1].second - labels[0].second;
    const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 || std::abs(mantissa - 5) < 1e-9)
        << step;
  }
}

TEST(Svg, GapsStandWhereThereIsNoNumber) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7}, y{1, 2, nan, 3, infinity, 0, 5, 6};  // one y too many
  const std::string linear = svg(one_panel({"", {}, {}, {{"a", Mark::line, x, y}}}));
  expect_well_formed(linear);
  EXPECT_EQ(places(linear, first_colour).size(), 5U);
  const std::string path = matches(linear, "<path d=\"(M[^\"]*)\" fill=\"none\" stroke=\"#0072B2\"").at(1)[1];
  EXPECT_EQ(count(path, "M"), 3U);
  EXPECT_EQ(count(path, "h0"), 1U);  // 3 stands alone
  const std::string log = svg(one_panel({"", {}, {.log = true}, {{"a", Mark::line, x, y}}}));
  expect_well_formed(log);
  EXPECT_EQ(places(log, first_colour).size(), 4U);  // 0 has no logarithm
}

TEST(Svg, NothingToDrawIsSaid) {
  for (const bool log : {false, true}) {
    const Axis axis{.log = log};
    Figure figure{"f", "", 2, {{"", axis, axis, {}}, {"", axis, axis, {{"a", Mark::bars, {nan, 1}, {1, -infinity}}}}}};
    const std::string text = svg(figure);
    expect_well_formed(text);
    EXPECT_EQ(count(text, "no data"), 2U);
  }
  expect_well_formed(svg({"", "", 0, {}}));
}

TEST(Svg, NoNumberIsTooLargeOrTooSmall) {
  const double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> sets{{-largest, largest}, {0, least}, {largest}, {7, 7}, {0},
                                              {least, largest}};
  for (const auto& numbers : sets) {
    for (const bool log : {false, true}) {
      for (const Mark mark : {Mark::line, Mark::points, Mark::bars}) {
        const Axis axis{.log = log};
        expect_well_formed(svg(one_panel({"", axis, axis, {{"a", mark, numbers, numbers, numbers}}})));
        const Axis narrow{.log = log, .range = {{least, 2 * least}}};
        expect_well_formed(svg(one_panel({"", narrow, narrow, {{"a", mark, numbers, numbers, numbers}}})));
      }
    }
  }
}

TEST(Svg, NamesAreHarmless) {
  const std::string hostile = "</svg><script>alert('\"&amp;\")</script>\x01\xff\xc0\xaf";
  Figure figure{hostile, hostile, 1, {}};
  figure.panels.push_back({hostile,
                           {.label = hostile, .names = {hostile, "b"}},
                           {.label = hostile},
                           {{hostile, Mark::bars, {0, 1}, {1, 2}}, {hostile, Mark::points, {0}, {1}, {}, true}}});
  const std::string text = svg(figure);
  expect_well_formed(text);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(
      text.find("&lt;/svg&gt;&lt;script&gt;alert(&#39;&quot;&amp;amp;&quot;)&lt;/script&gt;\uFFFD\uFFFD\uFFFD\uFFFD"),
      std::string::npos);
  EXPECT_NE(svg({"θ₁ 𝜃", "", 1, {}}).find("θ₁ 𝜃"), std::string::npos);
}

// A hundred thousand points with two spikes between them.
TEST(Svg, LongCurvesKeepTheirExtremes) {
  Series series{"a", Mark::line, {}, {}};
  for (int i = 0; i < 100'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::sin(0.3 * i));
  }
  series.y[31'415] = 9;
  series.y[27'182] = -8;
  const std::string text = svg(one_panel({"", {}, {}, {series}}));
  EXPECT_LT(text.size(), 60'000U);
  const ReadAxis x(text, 'x', false), y(text, 'y', false);
  const Places found = places(text, first_colour);
  const auto [high, low] =
      std::minmax_element(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_NEAR(y.value(high->second), 9, 0.01);
  EXPECT_NEAR(x.value(high->first), 31'415, 5);
  EXPECT_NEAR(y.value(low->second), -8, 0.01);
  EXPECT_NEAR(x.value(low->first), 27'182, 5);
  EXPECT_NEAR(x.value(found.front().first), 0, 5);
  EXPECT_NEAR(x.value(found.back().first), 99'999, 5);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; }));
}

struct Bar {
  double left, top, width, bottom;
};
std::vector<Bar> bars(const std::string& text, const std::string& attribute) {
  const std::string path = path_with(text, {attribute});
  std::vector<Bar> all;
  const std::regex one("M(-?[\\d.]+) ?(-?[\\d.]+)V(-?[\\d.]+)h([\\d.]+)V");
  for (std::sregex_iterator at(path.begin(), path.end(), one); at != std::sregex_iterator(); ++at) {
    all.push_back({std::stod((*at)[1]), std::stod((*at)[3]), std::stod((*at)[4]), std::stod((*at)[2])});
  }
  return all;
}

TEST(Svg, BarsStandSideBySideAndPrintedOnesOverOurs) {
  Panel panel{"", {.names = {"one", "two"}}, {}, {}};
  panel.series.push_back({"a", Mark::bars, {0, 1}, {1, 3}});
  panel.series.push_back({"b", Mark::bars, {0, 1}, {2, 4}});
  panel.series.push_back({"b", Mark::bars, {0, 1}, {1.5, 4.5}, {}, true});
  const std::string text = svg(one_panel(panel));
  expect_well_formed(text);
  const std::string inside = between(text, "<svg x=", "</svg>");
  const auto a = bars(inside, "fill=\"#0072B2\""), b = bars(inside, "fill=\"#D55E00\""),
             printed = bars(inside, "fill=\"none\" stroke=\"currentColor\"");
  ASSERT_EQ(a.size(), 2U);
  ASSERT_EQ(printed.size(), 2U);
  const ReadAxis y(text, 'y', false);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(a[i].left + a[i].width, b[i].left, 0.02);
    EXPECT_EQ(b[i].left, printed[i].left);
    EXPECT_NEAR(y.value(a[i].bottom), 0, 0.01);
    EXPECT_NEAR(y.value(printed[i].top), i == 0 ? 1.5 : 4.5, 0.01);
  }
  EXPECT_LT(b[0].left + b[0].width, a[1].left);
  EXPECT_GT(inside.rfind("currentColor"), inside.rfind("#D55E00"));
  EXPECT_NE(text.find(">b, printed</text>"), std::string::npos);
  EXPECT_NE(inside.find("stroke-dasharray"), std::string::npos);
}

TEST(Svg, ErrorsReachAsFarAsTheySay) {
  const std::string text = svg(one_panel({"", {}, {.log = true}, {{"a", Mark::points, {1, 2}, {4, 3}, {2, 5}}}}));
  const auto found = matches(text, "M(-?[\\d.]+) ([\\d.]+)V([\\d.]+)M");
  ASSERT_EQ(found.size(), 2U);
  const ReadAxis y(text, 'y', true);
  EXPECT_NEAR(y.value(std::stod(found[0][2])), 2, 0.01);
  EXPECT_NEAR(y.value(std::stod(found[0][3])), 6, 0.01);
  EXPECT_EQ(std::stod(found[1][2]), 320);  // 3 - 5 has no logarithm: down to the axis
  EXPECT_NEAR(y.value(std::stod(found[1][3])), 8, 0.01);
}

TEST(Svg, ANameHasOneColourAndOneLineInTheLegend) {
  const Series a{"a", Mark::line, {0, 1}, {0, 1}}, b{"b", Mark::line, {0, 1}, {1, 0}},
      unnamed{"", Mark::line, {0}, {0}};
  const Figure figure{"f", "", 2, {{"", {}, {}, {a, unnamed}}, {"", {}, {}, {b, a}}}};
  const std::string text = svg(figure);
  EXPECT_EQ(count(text, ">a</text>"), 1U);
  EXPECT_EQ(count(text, first_colour), 3U);  // two lines and the legend
  EXPECT_EQ(count(text, second_colour), 2U);
  EXPECT_EQ(text, svg(figure));
}

TEST(Svg, WithinAPageThePageColoursIt) {
  const Figure figure = one_panel({"t", {}, {}, {{"a", Mark::line, {0, 1}, {0, 1}}}});
  const std::string paper = svg(figure), part = svg(figure, {.on_paper = false});
  expect_well_formed(part);
  EXPECT_NE(paper.find("fill=\"#fff\""), std::string::npos);
  EXPECT_EQ(part.find("#fff"), std::string::npos);
  EXPECT_EQ(part.find(" color="), std::string::npos);
  EXPECT_EQ(part.find(" id="), std::string::npos);  // several may be in one page
}

TEST(Svg, ANoteStandsAtTheFootInRoomOfItsOwn) {
  const Figure figure = one_panel({"t", {.label = "x"}, {}, {{"a", Mark::line, {0, 1}, {0, 1}}}});
  const std::string plain = svg(figure), noted = svg(figure, {.note = "quick <run>"});
  expect_well_formed(noted);
  const auto height = [](const std::string& text) { return std::stod(matches(text, " height=\"(\\d+)\"").at(0)[1]); };
  const auto found = matches(noted, "<text x=\"[\\d.]+\" y=\"([\\d.]+)\" class=\"note\"[^>]*>quick &lt;run&gt;</text>");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(std::stod(found[0][1]) - 11, height(plain) - 5);
  EXPECT_LT(std::stod(found[0][1]), height(noted) - 3);
  EXPECT_EQ(plain.find("note"), std::string::npos);
}

// Bands as they are drawn: where each begins and ends, and its colour.
std::vector<Match> bands_in(const std::string& text) {
  return matches(between(text, "<g class=\"bands\"", "</g>"), "M(\\d+) 0h(\\d+)v[\\d.]+h-\\d+z\" fill=\"(#\\w+)\"");
}

TEST(Svg, StatesColourTheirStretchesOfTheSeries) {
  // points 1..4 in state 0, of which one is missing, 5..10 in state 1
  SegmentedSeries series{.x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                         .y = {0, 1, nan, 1, 5, 6, 5, 6, 5, 6},
                         .states = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
                         .levels = {0.5, 5.5}};
  Figure figure = one_panel(segmented_panel(series));
  figure.panels[0].x.range = {{0.5, 10.5}};
  const std::string text = svg(figure);
  expect_well_formed(text);
  const auto bands = bands_in(text);
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_EQ(bands[0][1], "0");
  EXPECT_EQ(bands[0][2], "224");  // 4 of 10 points, 560 pixels
  EXPECT_EQ(bands[1][1], "224");
  EXPECT_EQ(bands[1][2], "336");
  EXPECT_EQ(bands[0][3], first_colour);
  EXPECT_EQ(bands[1][3], second_colour);
  EXPECT_EQ(count(text, ">state 1</text>"), 1U);
  EXPECT_EQ(count(path_with(text, {"fill=\"none\" stroke=\"#8C8C8C\""}), "M"), 2U);  // the gap

  series.starts = {0, 4};  // two sequences: their line is broken, and so are stretches of one state
  series.states.assign(10, 1);
  const Panel two = segmented_panel(series);
  EXPECT_EQ(two.bands.size(), 2U);
  EXPECT_EQ(two.bands[0].to, 4.5);
  EXPECT_TRUE(std::isnan(two.series[0].y[5]));
}

TEST(Svg, ManyStatesAreToldApart) {
  SegmentedSeries series{.x = {}, .y = {}, .states = {}, .levels = {}};
  for (int i = 0; i < 16; ++i) {
    series.x.push_back(i);
    series.y.push_back(i);
    series.states.push_back(i);
    series.levels.push_back(i);
  }
  Panel panel = segmented_panel(series);
  panel.series.push_back({.name = "forecast", .x = {16}, .y = {3}, .plain = true});
  const std::string text = svg(one_panel(panel));
  std::set<std::string> colours;
  for (const Match& band : bands_in(text)) colours.insert(band[3]);
  EXPECT_EQ(colours.size(), 16U);
  EXPECT_EQ(colours.count("#8C8C8C"), 0U);                                           // the series'
  EXPECT_EQ(count(text, "fill=\"none\" stroke=\"currentColor\" stroke-width"), 2U);  // the forecast and its legend
  const std::string numbers = between(text, "<g class=\"band-labels\"", "</g>");
  EXPECT_EQ(count(numbers, "<text"), 16U);
  EXPECT_EQ(count(numbers, ">16</text>"), 1U);
}

TEST(Svg, SequencesHaveBordersAndDatesAreMarked) {
  SegmentedSeries series{
      .x = {1, 2, 3, 4, 5, 6, 7, 8}, .y = {1, 1, 1, 1, 1, 1, 1, 1}, .states = {0, 0, 0, 0, 0, 0, 0, 0}, .levels = {1}};
  series.starts = {0, 4};
  series.names = {"north", "a name that is far too long to stand in the half of a panel, and then a little more of it"};
  Panel panel = segmented_panel(series);
  panel.x.marks = {{3, "May"}, {99, "June"}};
  const std::string text = svg(one_panel(panel));
  expect_well_formed(text);
  const std::string borders = between(text, "<g class=\"borders\"", "</g>");
  EXPECT_EQ(count(borders, "M280 "), 1U);  // in the middle of 560 pixels; none at the left end
  EXPECT_EQ(count(borders, "V320"), 1U);
  EXPECT_EQ(count(borders, ">north</text>"), 1U);
  EXPECT_EQ(count(borders, "<text"), 1U);
  EXPECT_EQ(count(between(text, "<g class=\"x-ticks\"", "</g>"), "<text"), 1U);
  EXPECT_EQ(count(text, ">May</text>"), 1U);
}

TEST(Svg, AMillionStretchesMakeASmallPicture) {
  SegmentedSeries series{.x = {}, .y = {}, .states = {}, .levels = {0, 1, 2}};
  for (int i = 0; i < 1'000'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i % 1000 * 0.003);
    series.states.push_back(i % 1000 / 334);
  }
  const std::string text = svg(one_panel(segmented_panel(series)));
  EXPECT_LT(text.size(), 3'000'000U);
  EXPECT_LE(count(between(text, "<g class=\"bands\"", "</g>"), "<path"), 560U);
}

TEST(Svg, SixteenStatesHaveSixteenColoursAndNoneIsThatOfTheLine) {
  Panel panel;
  for (int state = 0; state < 16; ++state) {
    panel.series.push_back({.name = state_name(state), .mark = Mark::line, .x = {0, 1}, .y = {0, 1}});
  }
  const Styles styles(one_panel(panel));
  std::set<std::string> colours{styles.of(Series{}).colour};
  for (const Series& series : panel.series) colours.insert(styles.of(series).colour);
  EXPECT_EQ(colours.size(), 17U);
}

TEST(Svg, ARibbonGoesThereAndBack) {
  const Series ribbon{.name = "r", .mark = Mark::ribbon, .x = {0, 1, 2}, .y = {1, 1, 1}, .error = {0, 1, 1}};
  Panel panel{"t", {}, {}, {ribbon}};
  panel.x.range = {{0, 2}};
  panel.y.range = {{0, 2}};
  EXPECT_EQ(count(svg(one_panel(panel)), "M0 160L280 0L560 0L560 320L280 320L0 160z\" fill=\"" + first_colour), 1U);
}

}  // namespace
}  // namespace quasar
