#include "front/segment_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/place.hpp"
#include "diagnostics/wording.hpp"
#include "front/segment_facts.hpp"
#include "front/text_table.hpp"
#include "io/field_text.hpp"
#include "io/quoted_field.hpp"

namespace quasar {
namespace {

using diagnostics::counted;

constexpr Index columns_shown = 6, segments_shown = 20, steps_shown = 10, sequences_shown = 5;
constexpr std::size_t followers_shown = 3;
constexpr double largest_rhat = 1.1;  // a rough answer is enough here; quasar sample is stricter

struct Share {
  Index place;
  double share;
};

// The largest ones first; none below a thousandth.
std::vector<Share> largest_shares(const Vec& shares) {
  std::vector<Share> all;
  for (Index i = 0; i < shares.size(); ++i) {
    if (shares[i] >= 0.001) all.push_back({i, shares[i]});
  }
  std::ranges::stable_sort(all, std::greater(), &Share::share);
  return all;
}

template <class Name>
std::string listed(const Vec& shares, const Name& name) {
  std::string text;
  const std::vector<Share> all = largest_shares(shares);
  for (std::size_t i = 0; i < std::min(all.size(), followers_shown); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", name(all[i].place), percent(all[i].share));
  }
  return all.size() > followers_shown ? text + ", ..." : text;
}

struct NameOfCategory {
  const SeriesTable& series;
  const std::string& operator()(Index category) const { return series.categories[at(category)]; }
};

bool categorical(const SeriesTable& series) { return !series.categories.empty(); }

std::string what_was_done(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  const Index missing = series.missing();
  std::string text = fmt::format("{}: {}", shown(series.source), counted(series.data.size(), "point", "points"));
  if (missing > 0) text += fmt::format(" ({} missing)", counted(missing, "value", "values"));
  text += series.columns.size() == 1 ? fmt::format(" of '{}'", shown(series.columns.front()))
                                     : fmt::format(" of {} columns", series.columns.size());
  if (series.data.count() > 1) text += fmt::format(" in {} sequences", series.data.count());
  const Index used = std::ranges::count_if(visits_of(found), [](const Visits& state) { return state.visits > 0; });
  text += fmt::format(
      "\n{}{}: {}, {}; {:.2g} s\n", to_string(settings.method),
      settings.emission == Emission::normal ? "" : fmt::format(" with {} emissions", to_string(settings.emission)),
      counted(used, "state", "states"), counted(std::ssize(found.segments) - series.data.count(), "change", "changes"),
      found.seconds);
  return text;
}

std::string how_chosen(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  std::string text;
  if (found.penalties) {
    text = fmt::format("lambda {:.4g}, lambda1 {:.4g}, lambda2 {:.4g}", found.penalties->lambda,
                       found.penalties->lambda1, found.penalties->lambda2);
    if (!found.tried.empty()) {
      text += fmt::format(": the best of {} settings by {}", found.tried.size(),
                          settings.selector == Selector::bic ? "BIC" : "the number of states");
    }
  }
  if (found.lambda) text = fmt::format("lambda {:.4g}{}", *found.lambda, settings.lambda ? "" : ", chosen by the data");
  if (found.log_likelihood) text = fmt::format("log likelihood {:.6g}", *found.log_likelihood);
  if (found.states_probability.size() > 0) {
    text = fmt::format("number of states: {}\n{} of {}{}; below, the most probable draw and forecasts by all",
                       listed(found.states_probability, [](Index k) { return fmt::format("{}:", k + 1); }),
                       counted(settings.chains, "chain", "chains"), counted(settings.sweeps, "sweep", "sweeps"),
                       found.rhat ? fmt::format(", R-hat {:.3g}", *found.rhat) : "");
  }
  if (text.empty()) return text;
  return text +
         (found.standardized && (found.penalties || found.lambda) ? "; in units of standard deviations\n" : "\n");
}

// "mean", or "mean x" where there are several columns.
std::string header(const SegmentReport& report, std::string_view what, Index column) {
  if (report.series.columns.size() == 1) return std::string(what);
  return fmt::format("{} {}", what, shown(report.series.columns[at(column)]));
}

std::string states_table(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  const Index columns = categorical(series) ? 0 : std::min(series.data.dim(), columns_shown);
  std::vector<std::string> headers = {"state"};
  for (Index c = 0; c < columns; ++c) {
    headers.push_back(header(report, settings.emission == Emission::poisson ? "rate" : "mean", c));
    if (settings.emission == Emission::normal) headers.push_back(header(report, "sd", c));
  }
  headers.insert(headers.end(), {"points", "share", "visits", "mean stay", "<next"});
  if (categorical(series)) headers.emplace_back("<categories");
  TextTable table(std::move(headers));
  const std::vector<Visits> visits = visits_of(found);
  for (Index k = 0; k < found.states(); ++k) {
    const Visits& here = visits[at(k)];
    std::vector<std::string> cells = {fmt::format("{}", k + 1)};
    for (Index c = 0; c < columns; ++c) {
      cells.push_back(number(found.model.centres(c, k), 6));
      const double sd = std::sqrt(found.model.variances(c, k));
      if (settings.emission == Emission::normal) cells.push_back(number(spread(sd, here.points), 4));
    }
    cells.insert(cells.end(), {fmt::format("{}", here.points),
                               percent(static_cast<double>(here.points) / static_cast<double>(series.data.size())),
                               fmt::format("{}", here.visits), number(here.mean_stay(), 4),
                               listed(followers(found, k), [](Index next) { return fmt::format("{}:", next + 1); })});
    if (categorical(series)) {
      cells.push_back(listed(found.model.centres.col(k), NameOfCategory{series}));
    }
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\n{}", table.text());
  if (columns > 0 && columns < series.data.dim())
    text += fmt::format("... and {} columns more: --json has all\n", series.data.dim() - columns);
  return text;
}

std::string segments_table(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  const Vec changes = changes_of(report);
  const bool timed = !series.time_column.empty(), several = series.data.count() > 1, likely = changes.size() > 0;
  std::vector<std::string> headers = {"first row", "last row"};
  if (several) headers.insert(headers.begin(), fmt::format("<{}", shown(series.sequence_column)));
  if (timed) headers.insert(headers.end(), {fmt::format("<from {}", shown(series.time_column)), "<to"});
  headers.insert(headers.end(), {"points", "state"});
  if (likely) headers.emplace_back("P(change)");
  TextTable table(std::move(headers));
  for (Index i = 0; i < std::min(std::ssize(found.segments), segments_shown); ++i) {
    const Segment& segment = found.segments[at(i)];
    std::vector<std::string> cells;
    if (several) cells.push_back(series.sequences[at(segment.sequence)]);
    cells.insert(cells.end(),
                 {fmt::format("{}", series.rows[at(segment.first)]), fmt::format("{}", series.rows[at(segment.last)])});
    if (timed) cells.insert(cells.end(), {series.times[at(segment.first)], series.times[at(segment.last)]});
    cells.insert(cells.end(),
                 {fmt::format("{}", segment.last - segment.first + 1), fmt::format("{}", segment.state + 1)});
    if (likely) cells.push_back(number(changes[segment.first], 2));
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\n{}", table.text());
  const Index more = std::ssize(found.segments) - segments_shown;
  if (more > 0) text += fmt::format("... {} more; --out writes the state of every row\n", more);
  return text;
}

std::string forecast_table(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  if (settings.ahead == 0) return "";
  const bool several = series.data.count() > 1;
  const Index columns = categorical(series) ? 0 : std::min(series.data.dim(), columns_shown);
  std::vector<std::string> headers;
  if (several) headers.push_back(fmt::format("<{}", shown(series.sequence_column)));
  headers.emplace_back("ahead");
  for (Index c = 0; c < columns; ++c) {
    headers.push_back(header(report, "forecast", c));
    headers.push_back(header(report, "sd", c));
  }
  if (categorical(series)) headers.emplace_back("<forecast");
  TextTable table(std::move(headers));
  for (Index s = 0; s < std::min(series.data.count(), sequences_shown); ++s) {
    const Forecast& ahead = found.forecasts[at(s)];
    for (Index h = 0; h < std::min(settings.ahead, steps_shown); ++h) {
      std::vector<std::string> cells;
      if (several) cells.push_back(series.sequences[at(s)]);
      cells.push_back(fmt::format("{}", h + 1));
      for (Index c = 0; c < columns; ++c) {
        cells.push_back(number(ahead.mean(c, h), 6));
        cells.push_back(number(spread(ahead.sd(c, h), series.data.size()), 4));
      }
      if (categorical(series)) cells.push_back(listed(ahead.mean.col(h), NameOfCategory{series}));
      table.add(std::move(cells));
    }
  }
  std::string text = fmt::format("\n{}", table.text());
  if (settings.ahead > steps_shown || series.data.count() > sequences_shown) text += "... --json has all forecasts\n";
  return text;
}

std::string windows_table(const SegmentReport& report) {
  const auto& [series, settings, found] = report;
  if (!found.windows) return "";
  const WindowForecasts& windows = *found.windows;
  std::string text = fmt::format("\neach of {} by the {} points before it",
                                 counted(std::ssize(windows.forecasts.points), "point", "points"), settings.window);
  if (windows.penalties && settings.method == SegmentMethod::asymp_ihmm) {
    text += fmt::format("; lambda {:.4g}, lambda1 {:.4g}, lambda2 {:.4g} by the first of them",
                        windows.penalties->lambda, windows.penalties->lambda1, windows.penalties->lambda2);
  }
  const Index columns = std::min(series.data.dim(), columns_shown);
  std::vector<std::string> headers = {"<forecast by"};
  for (Index c = 0; c < columns; ++c)
    headers.insert(headers.end(), {header(report, "MAPE %", c), header(report, "RMSE", c)});
  TextTable table(std::move(headers));
  for (const ForecastError& error : windows.errors) {
    std::vector<std::string> cells = {error.name == "model" ? std::string(to_string(settings.method)) : error.name};
    for (Index c = 0; c < columns; ++c) cells.insert(cells.end(), {number(error.mape[c], 4), number(error.rmse[c], 4)});
    table.add(std::move(cells));
  }
  return fmt::format("{}\n{}", text, table.text());
}

}  // namespace

std::string SegmentReport::text() const {
  return what_was_done(*this) + how_chosen(*this) + states_table(*this) + segments_table(*this) +
         forecast_table(*this) + windows_table(*this);
}

void SegmentReport::write_csv(TextOutput& out) const {
  out.write("row");
  if (!series.sequences.empty()) out.print(",{}", quoted_field(series.sequence_column));
  if (!series.times.empty()) out.print(",{}", quoted_field(series.time_column));
  for (const std::string& column : series.columns) out.print(",{}", quoted_field(column));
  out.write(",state");
  const Index levels = categorical(series) ? 0 : series.data.dim();
  for (Index c = 0; c < levels; ++c) {
    out.print(",{}", quoted_field(fmt::format("{} {}", settings.emission == Emission::poisson ? "rate" : "mean",
                                              series.columns[at(c)])));
  }
  const Vec changes = changes_of(*this);
  if (changes.size() > 0) out.write(",change_probability");
  out.write("\n");
  const auto number = [&](double value) {
    out.write(",");
    if (!std::isnan(value)) out.write_number(value);
  };
  for (const Segment& segment : found.segments) {
    for (Index t = segment.first; t <= segment.last; ++t) {
      out.print("{}", series.rows[at(t)]);
      if (!series.sequences.empty()) out.print(",{}", quoted_field(series.sequences[at(segment.sequence)]));
      if (!series.times.empty()) out.print(",{}", quoted_field(series.times[at(t)]));
      if (categorical(series)) {
        Index category = 0;
        const bool known = !std::isnan(series.data.values(0, t));
        series.data.values.col(t).maxCoeff(&category);
        out.print(",{}", known ? quoted_field(series.categories[at(category)]) : "");
      } else {
        for (Index c = 0; c < levels; ++c) number(series.data.values(c, t));
      }
      out.print(",{}", segment.state + 1);
      for (Index c = 0; c < levels; ++c) number(found.model.centres(c, segment.state));
      if (changes.size() > 0) number(changes[t]);
      out.write("\n");
    }
  }
}

std::vector<std::string> SegmentReport::warnings() const {
  std::vector<std::string> warnings;
  if (found.rhat.value_or(1) > largest_rhat) {
    warnings.push_back(fmt::format("the chains disagree (R-hat {:.3g}): probabilities are rough; --sweeps {} may help",
                                   *found.rhat, 4 * settings.sweeps));
  }
  if (!found.converged) warnings.emplace_back("the fit has not converged: its states may still change");
  const std::vector<Visits> visits = visits_of(found);
  const Index unused = std::ranges::count_if(visits, [](const Visits& state) { return state.visits == 0; });
  if (unused > 0) {
    warnings.push_back(fmt::format("{} of {} states have no point: fewer states are enough", unused, found.states()));
  }
  return warnings;
}

}  // namespace quasar
