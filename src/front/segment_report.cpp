#include "front/segment_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "io/field_text.hpp"
#include "io/quoted_field.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

constexpr Index columns_shown = 6, segments_shown = 20, steps_shown = 10, sequences_shown = 5;
constexpr std::size_t followers_shown = 3;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();  // "-" in tables, null in JSON
constexpr double largest_rhat = 1.1;  // a rough answer is enough here; quasar sample is stricter

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

struct Share {
  Index place;
  double share;
};

// The largest ones first; none below a thousandth.
std::vector<Share> largest(const Vec& shares) {
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
  const std::vector<Share> all = largest(shares);
  for (std::size_t i = 0; i < std::min(all.size(), followers_shown); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", name(all[i].place), percent(all[i].share));
  }
  return all.size() > followers_shown ? text + ", ..." : text;
}

struct Visits {
  Index points = 0, visits = 0;
  double mean_stay() const { return static_cast<double>(points) / static_cast<double>(visits); }
};

std::vector<Visits> visits_of(const Segmentation& found) {
  std::vector<Visits> all(at(found.states()));
  for (const Segment& segment : found.segments) {
    Visits& state = all[at(segment.state)];
    state.points += segment.last - segment.first + 1;
    ++state.visits;
  }
  return all;
}

// Where it goes when it leaves; NaN: it never does.
Vec followers(const Segmentation& found, Index state) {
  Vec next = found.model.transition.row(state);
  next[state] = 0;
  const double leaves = next.sum();
  return leaves > 1e-12 ? Vec(next / leaves) : Vec::Constant(next.size(), undefined);
}

// A single point tells nothing of a spread.
double spread(double sd, Index points) { return sd > 0 || points > 1 ? sd : undefined; }

Mat spreads(const Mat& sds, Index points) {
  return sds.unaryExpr([points](double sd) { return spread(sd, points); });
}

// The first point of a sequence cannot be a change.
Vec changes_of(const SegmentReport& report) {
  Vec changes = report.found.change_probability;
  if (changes.size() > 0) changes(report.series.data.starts).setConstant(undefined);
  return changes;
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

Json array_of(const Vec& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value);  // NaN becomes null
  return array;
}

Json rows_of(const Mat& values) {
  Json rows = Json::array();
  for (Index i = 0; i < values.rows(); ++i) rows.push_back(array_of(values.row(i)));
  return rows;
}

Json json_of(const IhmmPenalties& penalties) {
  return {{"lambda", penalties.lambda}, {"lambda1", penalties.lambda1}, {"lambda2", penalties.lambda2}};
}

Json states_json(const SegmentReport& report) {
  const Segmentation& found = report.found;
  const std::vector<Visits> visits = visits_of(found);
  Json states = Json::array();
  for (Index k = 0; k < found.states(); ++k) {
    const Visits& here = visits[at(k)];
    states.push_back({{"state", k + 1},
                      {"mean", array_of(found.model.centres.col(k))},
                      {"sd", array_of(spreads(found.model.variances.col(k).cwiseSqrt(), here.points))},
                      {"points", here.points},
                      {"share", static_cast<double>(here.points) / static_cast<double>(report.series.data.size())},
                      {"visits", here.visits},
                      {"mean_stay", here.mean_stay()},
                      {"next", array_of(followers(found, k))}});
  }
  return states;
}

Json segments_json(const SegmentReport& report) {
  const SeriesTable& series = report.series;
  Json segments = Json::array();
  for (const Segment& one : report.found.segments) {
    Json json = {{"first", series.rows[at(one.first)]},
                 {"last", series.rows[at(one.last)]},
                 {"points", one.last - one.first + 1},
                 {"state", one.state + 1}};
    if (!series.sequences.empty()) json["sequence"] = series.sequences[at(one.sequence)];
    if (!series.times.empty()) {
      json["from"] = series.times[at(one.first)];
      json["to"] = series.times[at(one.last)];
    }
    segments.push_back(std::move(json));
  }
  return segments;
}

Json forecasts_json(const SegmentReport& report) {
  Json all = Json::array();
  for (Index s = 0; s < report.series.data.count(); ++s) {
    Json json;
    if (!report.series.sequences.empty()) json["sequence"] = report.series.sequences[at(s)];
    json["mean"] = rows_of(report.found.forecasts[at(s)].mean.transpose());
    json["sd"] = rows_of(spreads(report.found.forecasts[at(s)].sd.transpose(), report.series.data.size()));
    all.push_back(std::move(json));
  }
  return all;
}

Json windows_json(const SegmentReport& report) {
  const WindowForecasts& windows = *report.found.windows;
  Json json = {{"length", report.settings.window}, {"rows", Json::array()}};
  for (const Index point : windows.forecasts.points) json["rows"].push_back(report.series.rows[at(point)]);
  json["predicted"] = rows_of(windows.forecasts.predicted.transpose());
  json["actual"] = rows_of(windows.forecasts.actual.transpose());
  if (windows.penalties) json["penalties"] = json_of(*windows.penalties);
  for (const ForecastError& error : windows.errors) {
    json["errors"].push_back(
        {{"forecast", error.name}, {"mape", array_of(error.mape)}, {"rmse", array_of(error.rmse)}});
  }
  return json;
}

}  // namespace

std::string SegmentReport::text() const {
  return what_was_done(*this) + how_chosen(*this) + states_table(*this) + segments_table(*this) +
         forecast_table(*this) + windows_table(*this);
}

Json SegmentReport::to_json() const {
  Json json = {
      {"file", series.source},       {"method", to_string(settings.method)}, {"emission", to_string(settings.emission)},
      {"columns", series.columns},   {"points", series.data.size()},         {"sequences", series.data.count()},
      {"missing", series.missing()}, {"standardized", found.standardized}};
  if (categorical(series)) json["categories"] = series.categories;
  if (found.penalties) json["penalties"] = json_of(*found.penalties);
  if (found.lambda) json["lambda"] = *found.lambda;
  if (found.objective) json["objective"] = *found.objective;
  if (found.log_likelihood) json["log_likelihood"] = *found.log_likelihood;
  if (settings.method != SegmentMethod::ihmm_beam) json["converged"] = found.converged;
  json["states"] = states_json(*this);
  json["transition"] = rows_of(found.model.transition);
  json["segments"] = segments_json(*this);
  json["rows"] = series.rows;
  Json& of_rows = json["state_of_row"] = Json::array();
  for (const int state : found.model.states) of_rows.push_back(state + 1);
  if (found.states_probability.size() > 0) {
    json["states_probability"] = array_of(found.states_probability);
    if (found.rhat) json["rhat"] = *found.rhat;
    json["change_probability"] = array_of(changes_of(*this));
  }
  if (settings.ahead > 0) json["forecasts"] = forecasts_json(*this);
  if (found.windows) json["window"] = windows_json(*this);
  for (const TriedPenalties& one : found.tried) {
    Json tried = json_of(one.penalties);
    tried.update({{"states", one.states}, {"objective", one.objective}, {"score", one.score}});
    json["tried"].push_back(std::move(tried));
  }
  json["seconds"] = found.seconds;
  json["notes"] = series.notes;
  json["warnings"] = warnings();
  return json;
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
