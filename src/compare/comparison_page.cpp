#include "compare/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "compare/comparison_report.hpp"
#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "report/page.hpp"
#include "report/repeat_run.hpp"

namespace quasar {
namespace {

using diagnostics::counted;

constexpr std::size_t most_rows = 5000;  // of differences: the JSON has all
constexpr int colours = 8;               // of runs, as page.css has them for chains

constexpr std::string_view frame = R"(<main>
<header><p class="eyebrow">quasar compare</p>{{heading}}</header>
<div class="bar"><nav aria-label="Sections"><a href="#verdict">Verdict</a><a href="#runs">Runs</a><a href="#efficiency">Efficiency</a><a href="#differences">Differences</a><a href="#repeat">Repeat</a></nav></div>
{{sections}}
</main>
<noscript>Scripts of this page show the differences of parameters; it loads nothing from elsewhere.</noscript>)";

std::string cell(std::string_view tag, std::string_view text, std::string_view attributes = "") {
  return fmt::format("<{}{}{}>{}</{}>", tag, attributes.empty() ? "" : " ", attributes, escape_html(text), tag);
}

std::string colour_of(std::size_t run) { return fmt::format("var(--chain-{})", run % colours + 1); }

// Numbers with the sign that is printed; names and words stay as they are.
std::string typeset(std::string text) {
  if (text == "-") return "–";
  const bool number = !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-');
  for (std::size_t at = 0; number && (at = text.find('-', at)) != std::string::npos;) text.replace(at, 1, "−");
  return text;
}

// ---- efficiency ----

// Bars that need no picture: their names and numbers are text, legible on a phone.
std::string bars(const Comparison& comparison, std::string_view title,
                 const std::function<double(const ComparedRun&)>& value) {
  double most = 0;
  for (const ComparedRun& run : comparison.runs) {
    if (std::isfinite(value(run))) most = std::max(most, value(run));
  }
  std::string rows;
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const double here = value(comparison.runs[r]);
    const double share = here > 0 && most > 0 ? std::min(here / most, 1.0) : 0;
    rows += fmt::format("{}<dd><i style=\"--share:{:.3f};background:{}\"></i>{}</dd>\n",
                        cell("dt", comparison.runs[r].name, "class=\"name\""), share, colour_of(r),
                        cell("b", typeset(here >= 100 ? count(here) : number(here, 3))));
  }
  return fmt::format("<figure>{}<dl class=\"bars\">\n{}</dl></figure>\n", cell("figcaption", title), rows);
}

std::string efficiency(const Comparison& comparison) {
  return "<div class=\"charts\">\n" +
         bars(comparison, "Smallest bulk ESS by seconds after warm-up", &ComparedRun::ess_per_second) +
         bars(comparison, "Smallest bulk ESS by whole gradients after warm-up", &ComparedRun::ess_per_gradient) +
         "</div>\n";
}

// ---- tables ----

// Runs that are called by their samplers need no row that says so again.
bool repeats_names(const QuantityRow& row, const Comparison& comparison) {
  const auto is_name = [](const std::string& text, const ComparedRun& run) { return text == run.name; };
  return std::ranges::equal(row.cells, comparison.runs, is_name);
}

std::string table_of_quantities(const Comparison& comparison) {
  std::string head = "<th></th>", rows;
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    head += fmt::format("<th class=\"name\"><i style=\"background:{}\"></i>{}</th>", colour_of(r),
                        escape_html(comparison.runs[r].name));
  }
  head += "<th class=\"text\"></th>";
  for (const QuantityRow& row : quantities_of(comparison)) {
    if (repeats_names(row, comparison)) continue;
    std::string cells = cell("th", row.name, "scope=\"row\"");
    for (const std::string& text : row.cells) cells += cell("td", typeset(text));
    rows += fmt::format("<tr>{}{}</tr>\n", cells, cell("td", row.meaning, "class=\"text\""));
  }
  return fmt::format(
      "<div class=\"scroll runs\" tabindex=\"0\" role=\"region\" aria-label=\"runs\"><table><thead><tr>{}</tr></thead>"
      "<tbody>\n{}</tbody></table></div>\n",
      head, rows);
}

// What report/page/comparison.js reads.
nlohmann::ordered_json differences(const Comparison& comparison) {
  const std::vector<PlacedDifference> places = by_size(comparison);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), names = nlohmann::ordered_json::array();
  for (const ComparedRun& run : comparison.runs) names.push_back(run.name);
  for (const PlacedDifference& place : std::span(places).first(std::min(most_rows, places.size()))) {
    const ComparedParameter& parameter = comparison.parameters[place.parameter];
    const Difference &mean = parameter.mean[place.run], &sd = parameter.sd[place.run];
    rows.push_back({{"name", parameter.name},
                    {"run", place.run},
                    {"mean", mean.value},
                    {"mean_mcse", mean.in_mcse},
                    {"mean_beyond", mean.beyond_chance()},
                    {"sd", sd.value},
                    {"sd_mcse", sd.in_mcse},
                    {"sd_beyond", sd.beyond_chance()}});
  }
  return {{"reference", comparison.runs[comparison.reference].name},
          {"runs", names},
          {"limit", agreement_limit},
          {"differences", rows},
          {"all", places.size()}};
}

std::string sentences(const std::vector<std::string>& texts, std::string_view kind) {
  std::string out;
  for (const std::string& text : texts) {
    out += fmt::format("<div class=\"{}\">{}</div>\n", kind, cell("p", text, "class=\"what\""));
  }
  return out;
}

std::string verdict(const Comparison& comparison) {
  std::vector<std::string> well;
  if (comparison.all_agree()) {
    well.push_back(fmt::format("No run differs from {} by more than {} MCSE",
                               comparison.runs[comparison.reference].name, agreement_limit));
  }
  return sentences(well, "well") + sentences(comparison.warnings, "problem");
}

std::string notes_of(const Comparison& comparison) {
  std::string out;
  for (const ComparedRun& run : comparison.runs) {
    for (const std::string& note : run.notes)
      out += cell("p", fmt::format("{} {}.", run.name, note), "class=\"note\"") + "\n";
  }
  return out;
}

// What makes each run again; empty: no run is known to be made by quasar sample.
std::string repeats(const Comparison& comparison) {
  std::string out;
  for (const ComparedRun& run : comparison.runs) {
    const std::string command = report::command_of(run.info);
    if (command.empty()) continue;
    out += cell("h3", run.name, "class=\"name\"") + "\n" +
           cell("pre", command, "class=\"wraps\" aria-label=\"the command\"") +
           fmt::format("\n<details><summary>All settings</summary>\n{}</details>\n",
                       cell("pre", report::configuration_of(run.info), "aria-label=\"the configuration\""));
  }
  return out;
}

std::string section(std::string_view id, std::string_view title, const std::string& inside) {
  return fmt::format("<section id=\"{}\">{}\n{}</section>\n", id, cell("h2", title), inside);
}

}  // namespace

std::string page_of(const Comparison& comparison) {
  const std::string what =
      fmt::format("<p>Of {} that all runs have. Seconds are those after warm-up by the clock on the wall.</p>\n",
                  counted(std::ssize(comparison.parameters), "parameter", "parameters"));
  const std::string again = repeats(comparison);
  const std::string sections =
      section("verdict", "Verdict", verdict(comparison) + notes_of(comparison)) +
      section("runs", "Runs", what + table_of_quantities(comparison)) +
      section("efficiency", "Efficiency", efficiency(comparison)) +
      section("differences", fmt::format("Differences from {}", comparison.runs[comparison.reference].name), "") +
      section("repeat", "To repeat these runs", again.empty() ? "<p>Their settings are not known.</p>\n" : again);
  const std::string title = title_of(comparison), heading = cell("h1", title);
  return page_with({.title = title,
                    .body = fill_page(frame, {{"heading", heading}, {"sections", sections}}),
                    .data = differences(comparison),
                    .start = "showComparison"});
}

}  // namespace quasar
