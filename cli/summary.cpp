// quasar summary run.nc
#include "summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <quasar/layout.hpp>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "io/durable_run.hpp"
#include "sampler_law.hpp"
#include "terminal.hpp"
#include "text_table.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;
using diagnostics::Problem;
using diagnostics::RunFacts;
using diagnostics::SettingTexts;

// The sampler's and the model's parameters, named as --set names them. A run made by a program may not have them.
SettingTexts settings_of(const RunInfo& info) {
  SettingTexts settings;
  const Json configuration = Json::parse(info.configuration, nullptr, false);
  for (const auto& [table, prefix] : {std::pair{"sampler", ""}, {"model", "model."}}) {
    if (!configuration.is_object() || !configuration.contains(table)) continue;
    for (const auto& [name, value] : configuration[table].items()) {
      settings[prefix + name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return settings;
}

RunFacts facts_of(const Run& run, const RunSummary& summary) {
  const SettingTexts settings = settings_of(run.info);
  return {.names = summary.names,
          .summaries = summary.rows,
          .draws_of = [&run](Index element) { return draws_of(run, element); },
          .for_each_parameter = [&run](const auto& use) { for_each_element(run, use); },
          .chains = summary.chains,
          .draws = summary.draws,
          .members = run.info.members,
          .warmup = run.info.schedule.warmup,
          .iterations = run.info.schedule.draws,
          .thin = run.info.schedule.thin,
          .divergences = run.info.divergences,
          .stopped_early = run.info.stopped_early,
          .acceptance = statistic(run, "acceptance_rate"),
          .energy = statistic(run, "energy"),
          .diverging = statistic(run, "diverging"),
          .reached_max_depth = statistic(run, "reached_max_tree_depth"),
          .solver_failed = statistic(run, "solver_failed"),
          .excess_noise = statistic(run, "excess_noise"),
          .sampler = run.info.sampler,
          .law = law_of(run.info.sampler, settings),
          .settings = settings};
}

// "R-hat above 1.01 in 2 parameters: chain 2 drifts; R-hat: tau 1.034, mu 1.02. Try --warmup 2000"
std::string in_one_line(const Problem& problem) {
  const std::string parameters = list_parameters(problem, 3);
  return fmt::format("{}{}{}. Try {}", problem.what, parameters.empty() ? "" : "; ", parameters, problem.advice);
}

// "4 chains of 1000 draws after 1000 of warm-up"; "4 ensembles of 5 members, 1000 draws each after 1000 of warm-up"
std::string extent(const RunSummary& summary, const RunInfo& info) {
  const bool ensembles = info.members > 1;
  const std::string chains =
      ensembles ? fmt::format("{} of {} members", counted(summary.chains / info.members, "ensemble", "ensembles"),
                              info.members)
                : counted(summary.chains, "chain", "chains");
  if (info.stopped_early && summary.draws == 0) return chains + ", stopped before the first draw";
  const std::string draws = counted(summary.draws, "draw", "draws");
  return fmt::format("{}{} after {} of warm-up", chains,
                     ensembles ? fmt::format(", {} each", draws) : fmt::format(" of {}", draws), info.schedule.warmup);
}

// Of the draws of a sampler whose step size changes; empty: all draws weigh the same.
Mat varying_weights(const Run& run) {
  Mat weights = statistic(run, "weight");
  const bool vary = weights.size() > 0 && weights.minCoeff() < weights.maxCoeff();
  return vary ? weights : Mat();
}

}  // namespace

RunSummary summarize_run(const Run& run) {
  RunSummary summary;
  summary.names = element_names(run.layout);
  summary.chains = run.chains();
  summary.draws = run.draws();
  Summarizer summarizer(summary.draws, summary.chains);
  const Mat weights = varying_weights(run);
  for_each_element(run, [&](Index, const Mat& draws) {
    summary.rows.push_back(summarizer(draws));
    if (weights.size() > 0) summary.weighted_means.push_back(draws.cwiseProduct(weights).sum() / weights.sum());
  });
  summary.diagnosis = diagnostics::diagnose(facts_of(run, summary));
  return summary;
}

void add_extent(nlohmann::ordered_json& json, Index chains, Index draws, const RunInfo& info) {
  json["chains"] = chains;
  json["draws"] = draws;
  if (info.members > 1) json["ensembles"] = chains / info.members;
}

nlohmann::ordered_json to_json(const RunSummary& summary, const RunInfo& info) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const Summary& s = summary.rows[i];
    parameters.push_back({{"name", summary.names[i]},
                          {"mean", s.mean},
                          {"sd", s.sd},
                          {"q5", s.q5},
                          {"q50", s.q50},
                          {"q95", s.q95},
                          {"mcse_mean", s.mcse_mean},
                          {"ess_bulk", s.ess_bulk},
                          {"ess_tail", s.ess_tail},
                          {"rhat", s.rhat}});
    if (!summary.weighted_means.empty()) parameters.back()["mean_weighted"] = summary.weighted_means[i];
  }
  Json warnings = Json::array();
  for (const Problem& problem : summary.diagnosis.problems) warnings.push_back(in_one_line(problem));
  Json json{{"parameters", parameters}};
  add_extent(json, summary.chains, summary.draws, info);
  json.update({{"divergences", info.divergences},
               {"gradient_evaluations", info.gradient_evaluations},
               {"sampling_seconds", info.sampling_seconds},
               {"sampler", info.sampler},
               {"model", info.model},
               {"warnings", warnings}});
  return json;
}

void print_summary(const RunSummary& summary, const RunInfo& info, std::size_t most) {
  fmt::print("{}{}, {}: {}; {}; {:.2f} s + {:.2f} s\n\n", info.model,
             info.data_source.empty() ? "" : " on " + info.data_source, info.sampler, extent(summary, info),
             counted(info.gradient_evaluations, "gradient", "gradients"), info.warmup_seconds, info.sampling_seconds);
  const bool weighted = !summary.weighted_means.empty();
  std::vector<std::string> columns{"<", "mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat"};
  if (weighted) columns.emplace_back("weighted_mean");
  TextTable table(columns);
  for (std::size_t i = 0; i < std::min(most, summary.rows.size()); ++i) {
    const Summary& s = summary.rows[i];
    std::vector<std::string> cells{summary.names[i],       number(s.mean),
                                   number(s.mcse_mean, 2), number(s.sd),
                                   number(s.q5),           number(s.q50),
                                   number(s.q95),          count(s.ess_bulk),
                                   count(s.ess_tail),      std::isnan(s.rhat) ? "-" : fmt::format("{:.3f}", s.rhat)};
    if (weighted) cells.push_back(number(summary.weighted_means[i]));
    table.add(cells);
  }
  table.print(stdout);
  if (summary.rows.size() > most) fmt::print("… and {} more; quasar summary shows all\n", summary.rows.size() - most);
}

void print_warnings(const RunSummary& summary) {
  for (const Problem& problem : summary.diagnosis.problems) note("warning: {}\n", in_one_line(problem));
}

Command add_summary(CLI::App& app) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("summary", "means, errors, effective draws and R-hat of a run file");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] {
    const Run run = open_run(options->file);
    const RunSummary summary = summarize_run(run);
    if (options->json) {
      fmt::print("{}\n", to_json(summary, run.info).dump(2));
    } else {
      print_summary(summary, run.info, summary.rows.size());
    }
    print_warnings(summary);
    return 0;
  };
}

}  // namespace quasar::cli
