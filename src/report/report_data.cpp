#include "report/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "diagnostics/checks.hpp"
#include "diagnostics/wording.hpp"
#include "front/run_summary.hpp"
#include "front/sampler_law.hpp"
#include "report/autocorrelations.hpp"
#include "report/densities.hpp"
#include "report/energies.hpp"
#include "report/held_out_pictures.hpp"
#include "report/pairs.hpp"
#include "report/rank_counts.hpp"
#include "report/repeat_run.hpp"
#include "report/steps_over_time.hpp"
#include "report/traces.hpp"
#include "report/worst_first.hpp"

namespace quasar {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;
using diagnostics::Problem;

constexpr std::size_t parameters_listed = 10;  // of a problem

// "exact: a draw from the points of a trajectory ..."; "biased: adapt=printed"
std::string law_text(const RunInfo& info) {
  const auto law = law_of(info.sampler, settings_of(info));
  if (!law) return {};
  return fmt::format("{}: {}", to_string(law->law), law->setting.empty() ? law->why : law->setting);
}

Json facts(const RunSummary& summary, const RunInfo& info) {
  Json pairs = Json::array();
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) pairs.push_back({name, text});
  };
  add("model", info.model);
  add("data", info.data_source);
  add("sampler", info.sampler);
  add("law", law_text(info));
  add("draws", extent_text(summary, info));
  add("gradients", std::to_string(info.gradient_evaluations));
  add("divergences", std::to_string(info.divergences));
  add("time", fmt::format("{:.2f} s of warm-up, {:.2f} s of sampling", info.warmup_seconds, info.sampling_seconds));
  add("seed", std::to_string(info.seed));
  add("held out", info.held_out_source);
  add("left out", fmt::format("{}", fmt::join(summary.left_out, ", ")));
  if (!info.created_at.empty()) add("made", fmt::format("{}, Quasar {}", info.created_at, info.quasar_version));
  return pairs;
}

std::string title(const RunInfo& info) {
  return fmt::format("{}{}, {}", info.model, info.data_source.empty() ? "" : " on " + info.data_source, info.sampler);
}

Json problem(const std::string& kind, const std::string& what) {
  return {{"kind", kind}, {"what", what}, {"advice", ""}, {"parameters", ""}};
}

Json problems(const RunSummary& summary, const Json& check) {
  Json all = Json::array();
  for (const Problem& one : summary.diagnosis.problems) {
    all.push_back({{"kind", one.kind},
                   {"what", one.what},
                   {"advice", one.advice},
                   {"parameters", list_parameters(one, parameters_listed)}});
  }
  for (const std::string& warning : warnings_beside_problems(summary)) all.push_back(problem("averages", warning));
  if (!check.is_object() || !check.contains("warnings")) return all;
  for (const Json& warning : check["warnings"]) {
    if (warning.is_string()) all.push_back(problem("check", warning));
  }
  return all;
}

void add_summary(Json& data, const RunSummary& summary) {
  const bool weighted = !summary.weighted_means.empty();
  data["columns"] = {"mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat"};
  if (weighted) data["columns"].push_back("weighted_mean");
  data["names"] = summary.names;
  Json rows = Json::array();
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const Summary& s = summary.rows[i];
    rows.push_back({s.mean, s.mcse_mean, s.sd, s.q5, s.q50, s.q95, s.ess_bulk, s.ess_tail, s.rhat});
    if (weighted) rows.back().push_back(summary.weighted_means[i]);
  }
  data["summary"] = std::move(rows);
}

// What never moves, or is not finite, comes first among the worst, but shows nothing beside another parameter.
std::vector<Index> movers_first(std::vector<Index> order, const std::vector<Summary>& rows) {
  std::stable_partition(order.begin(), order.end(),
                        [&](Index parameter) { return rows[static_cast<std::size_t>(parameter)].sd > 0; });
  return order;
}

// Everything that is drawn of each parameter, in one pass over the draws.
void add_pictures(Json& data, const Run& run, const std::vector<Index>& order_of_pairs) {
  const PictureSize size{run.layout.size(), run.chains(), run.draws()};
  if (size.parameters * size.chains * size.draws == 0) {
    for (const char* picture : {"trace", "rank", "density", "autocorrelation", "pairs"}) data[picture] = nullptr;
    return;
  }
  Traces traces(size);
  RankCounts ranks(size);
  Densities densities(size);
  Autocorrelations autocorrelations(size);
  Pairs pairs(size, order_of_pairs, statistic(run, "diverging"));
  ParameterDraws parameter;
  for_each_element(run, [&](Index element, const Mat& draws) {
    parameter.take(draws);
    traces.add(parameter);
    ranks.add(parameter);
    densities.add(parameter);
    autocorrelations.add(parameter);
    pairs.add(element, parameter);
  });
  data["trace"] = traces.json();
  data["rank"] = ranks.json();
  data["density"] = densities.json();
  data["autocorrelation"] = autocorrelations.json();
  data["pairs"] = pairs.json();
}

}  // namespace

nlohmann::ordered_json report_data(const Run& run) {
  const RunSummary summary = summarize_run(run);
  const std::vector<Index> order = worst_first(summary);
  const Json check = run.check.empty() ? Json(nullptr) : Json::parse(run.check);
  Json data;
  data["title"] = title(run.info);
  data["facts"] = facts(summary, run.info);
  data["command"] = command_of(run.info);
  data["configuration"] = configuration_of(run.info);
  data["hashes"] = hashes_of(run.info);
  data["problems"] = problems(summary, check);
  data["checked"] = summary.diagnosis.checked;
  data["chains"] = summary.chains;
  data["draws"] = summary.draws;
  data["kept"] = what_is_kept(summary);
  data["limits"] = {{"r_hat", diagnostics::kRhatLimit},
                    {"ess_per_chain", diagnostics::kEssPerChain},
                    {"e_bfmi", diagnostics::kEbfmiLimit}};
  add_summary(data, summary);
  data["order"] = order;
  add_pictures(data, without_factors(run), movers_first(order, summary.rows));
  data["energy"] = energies(run);
  data["steps"] = steps_over_time(run);
  data["check"] = check;
  data["held_out"] = held_out_pictures(run.held_out);
  return data;
}

}  // namespace quasar
