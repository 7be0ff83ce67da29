#include "compare/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <quasar/figure.hpp>

#include "compare/comparison_report.hpp"
#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "plot/svg.hpp"
#include "report/page.hpp"

namespace quasar {
namespace {

using diagnostics::counted;

constexpr std::size_t most_rows = 200;  // of differences: the JSON has all
constexpr std::size_t most_names = 24;  // along an axis
constexpr double wide_range = 20;       // of numbers that are all above 0: a logarithmic axis

constexpr std::string_view frame = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{title}}</title>
<link rel="icon" href="data:,">
<style>{{style}}
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem 1.6rem; }
.pictures figure { margin: 0; min-width: 0; }
.pictures svg { display: block; max-width: 100%; height: auto; }
.pictures + .scroll { margin-top: 1rem; }
td.text { white-space: normal; min-width: 16rem; color: var(--muted); }
@media (max-width: 40rem) { .text { display: none; } }
</style>
</head>
<body>
<main>
<header><p class="eyebrow">Quasar comparison</p><h1>{{title}}</h1></header>
{{body}}
</main>
</body>
</html>
)";

std::vector<std::string> names_of_runs(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedRun& run : comparison.runs) names.push_back(run.name);
  return names;
}

// ---- pictures ----

Panel bars(const Comparison& comparison, std::string label, const std::function<double(const ComparedRun&)>& value) {
  Panel panel{.x = {.names = names_of_runs(comparison)}, .y = {.label = std::move(label)}, .series = {}};
  Series series{.mark = Series::Mark::bars, .x = {}, .y = {}};
  for (const ComparedRun& run : comparison.runs) {
    series.x.push_back(static_cast<double>(series.x.size()));
    series.y.push_back(value(run));
  }
  const auto [low, high] = std::ranges::minmax(series.y);
  panel.y.log = low > 0 && high > wide_range * low;
  panel.series.push_back(std::move(series));
  return panel;
}

using Part = std::vector<Difference> ComparedParameter::*;

Panel agreement(const Comparison& comparison, std::string title, Part part) {
  Panel panel{.title = std::move(title), .x = {.label = "parameter"}, .y = {.label = "MCSE"}, .series = {}};
  const std::size_t count = comparison.parameters.size();
  if (count <= most_names) {
    panel.x.label.clear();
    for (const ComparedParameter& parameter : comparison.parameters) panel.x.names.push_back(parameter.name);
  }
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    if (r == comparison.reference) continue;
    Series series{.name = comparison.runs[r].name, .mark = Series::Mark::points, .x = {}, .y = {}};
    for (std::size_t p = 0; p < count; ++p) {
      series.x.push_back(static_cast<double>(p));
      series.y.push_back((comparison.parameters[p].*part)[r].in_mcse);
    }
    panel.series.push_back(std::move(series));
  }
  const double end = static_cast<double>(count) - 0.5;
  for (const double limit : {-agreement_limit, agreement_limit}) {
    panel.series.push_back({.name = "limit", .x = {-0.5, end}, .y = {limit, limit}});
  }
  return panel;
}

// ---- tables ----

std::string cell(std::string_view tag, std::string_view text, std::string_view attributes = "") {
  return fmt::format("<{}{}{}>{}</{}>", tag, attributes.empty() ? "" : " ", attributes, escape_html(text), tag);
}

std::string table(const std::string& head, const std::string& rows) {
  return fmt::format("<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n", head,
                     rows);
}

std::string table_of_quantities(const Comparison& comparison) {
  std::string head = "<th></th>", rows;
  for (const ComparedRun& run : comparison.runs) head += cell("th", run.name, "class=\"name\"");
  head += "<th class=\"text\"></th>";
  for (const QuantityRow& row : quantities_of(comparison)) {
    std::string cells = cell("th", row.name);
    for (const std::string& text : row.cells) cells += cell("td", text);
    rows += fmt::format("<tr>{}{}</tr>\n", cells, cell("td", row.meaning, "class=\"text\""));
  }
  return table(head, rows);
}

std::string in_mcse(const Difference& difference) {
  const std::string text = std::isnan(difference.in_mcse) ? "-" : fmt::format("{:+.1f}", difference.in_mcse);
  return cell("td", text, difference.beyond_chance() ? "class=\"marked\"" : "");
}

std::string table_of_differences(const Comparison& comparison) {
  const std::vector<PlacedDifference> places = by_size(comparison);
  const std::size_t shown = std::min(most_rows, places.size());
  std::string rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedParameter& parameter = comparison.parameters[places[i].parameter];
    const std::size_t run = places[i].run;
    rows += "<tr>" + cell("th", parameter.name, "class=\"name\"") +
            cell("td", comparison.runs[run].name, "class=\"name\"") + cell("td", number(parameter.mean[run].value, 3)) +
            in_mcse(parameter.mean[run]) + cell("td", number(parameter.sd[run].value, 3)) + in_mcse(parameter.sd[run]) +
            "</tr>\n";
  }
  const std::string head = "<th>parameter</th><th>run</th><th>mean</th><th>in MCSE</th><th>sd</th><th>in MCSE</th>";
  const std::string more =
      places.size() > shown ? fmt::format("<p>The largest {} of {}.</p>\n", shown, places.size()) : "";
  return more + table(head, rows);
}

std::string sentences(const std::vector<std::string>& texts, std::string_view kind) {
  std::string out;
  for (const std::string& text : texts) {
    out += fmt::format("<div class=\"{}\">{}</div>\n", kind, cell("p", text, "class=\"what\""));
  }
  return out;
}

std::string verdict(const Comparison& comparison) {
  if (!comparison.warnings.empty()) return sentences(comparison.warnings, "problem");
  return sentences({fmt::format("No run differs from {} by more than {} MCSE",
                                comparison.runs[comparison.reference].name, agreement_limit)},
                   "well");
}

std::string notes_of(const Comparison& comparison) {
  std::string out;
  for (const ComparedRun& run : comparison.runs) {
    for (const std::string& note : run.notes)
      out += cell("p", fmt::format("{} {}.", run.name, note), "class=\"note\"") + "\n";
  }
  return out;
}

std::string section(std::string_view title, const std::string& inside) {
  return fmt::format("<section>{}\n{}</section>\n", cell("h2", title), inside);
}

std::string pictures(std::span<const Figure> figures) {
  std::string out = "<div class=\"pictures\">\n";
  for (const Figure& figure : figures) {
    out += fmt::format("<figure>{}{}</figure>\n", svg(figure, {.on_paper = false}), cell("figcaption", figure.caption));
  }
  return out + "</div>\n";
}

// Each a picture of its own: on a phone they stand below each other.
std::vector<Figure> pictures_of_efficiency(const Comparison& comparison) {
  return {{"ess-per-second",
           "Smallest bulk ESS by seconds after warm-up.",
           1,
           {bars(comparison, "ESS/s", &ComparedRun::ess_per_second)}},
          {"ess-per-gradient",
           "Smallest bulk ESS by whole gradients after warm-up.",
           1,
           {bars(comparison, "ESS/gradient", &ComparedRun::ess_per_gradient)}}};
}

std::vector<Figure> pictures_of_agreement(const Comparison& comparison) {
  return {{"means",
           fmt::format("Differences of means in MCSE of both runs; lines at {}.", agreement_limit),
           1,
           {agreement(comparison, "means", &ComparedParameter::mean)}},
          {"sds",
           fmt::format("Differences of sds in MCSE of both runs; lines at {}.", agreement_limit),
           1,
           {agreement(comparison, "sds", &ComparedParameter::sd)}}};
}

}  // namespace

std::string page_of(const Comparison& comparison) {
  const std::string what =
      fmt::format("<p>Of {} that all runs have. Seconds are those after warm-up by the clock on the wall.</p>\n",
                  counted(std::ssize(comparison.parameters), "parameter", "parameters"));
  const std::string body = section("Verdict", verdict(comparison) + notes_of(comparison)) +
                           section("Runs", what + table_of_quantities(comparison)) +
                           section("Efficiency", pictures(pictures_of_efficiency(comparison))) +
                           section(fmt::format("Differences from {}", comparison.runs[comparison.reference].name),
                                   pictures(pictures_of_agreement(comparison)) + table_of_differences(comparison));
  const std::string title = escape_html(title_of(comparison));
  return fill_page(frame, {{"title", title}, {"style", page_asset("page.css")}, {"body", body}});
}

}  // namespace quasar
