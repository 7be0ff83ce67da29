// docs/segment.md says what each key is.
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

#include "core/place.hpp"
#include "front/segment_facts.hpp"
#include "front/segment_report.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

Mat spreads(const Mat& sds, Index points) {
  return sds.unaryExpr([points](double sd) { return spread(sd, points); });
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

Json SegmentReport::to_json() const {
  Json json = {
      {"file", series.source},       {"method", to_string(settings.method)}, {"emission", to_string(settings.emission)},
      {"columns", series.columns},   {"points", series.data.size()},         {"sequences", series.data.count()},
      {"missing", series.missing()}, {"standardized", found.standardized}};
  if (!series.categories.empty()) json["categories"] = series.categories;
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

}  // namespace quasar
