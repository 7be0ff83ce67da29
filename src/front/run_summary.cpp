#include "front/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/layout.hpp>

#include "diagnostics/wording.hpp"
#include "front/sampler_law.hpp"
#include "front/text_table.hpp"
#include "predict/held_out.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;
using diagnostics::Diagnosis;
using diagnostics::ParameterValue;
using diagnostics::Problem;
using diagnostics::RunFacts;
using diagnostics::SettingTexts;

RunFacts facts_of(const Run& run, const RunSummary& summary) {
  const SettingTexts settings = settings_of(run.info);
  return {.names = summary.names,
          .summaries = summary.rows,
          .draws_of = [&run](Index element) { return draws_of(run, element); },
          .for_each_parameter = [&run](const auto& use) { for_each_element(run, use); },
          .chains = summary.chains,
          .draws = summary.draws,
          .made = summary.made,
          .keep = summary.keep,
          .members = run.info.members,
          .warmup = run.info.schedule.warmup,
          .iterations = run.info.schedule.draws,
          .thin = run.info.schedule.thin,
          .stored_every = run.info.stored_every,
          .divergences = run.info.divergences,
          .stopped_early = run.info.stopped_early,
          .acceptance = statistic(run, "acceptance_rate"),
          .energy = statistic(run, "energy"),
          .diverging = statistic(run, "diverging"),
          .reached_max_depth = statistic(run, "reached_max_tree_depth"),
          .solver_failed = statistic(run, "solver_failed"),
          .excess_noise = statistic(run, "excess_noise"),
          .steps_too_long = statistic(run, "steps_too_long"),
          .step_curvature = statistic(run, "step_curvature"),
          .sampler = run.info.sampler,
          .law = law_of(run.info.sampler, settings),
          .settings = settings};
}

// The factors of a matrix can be exchanged, mirrored and turned without any change of what they predict: their means
// and R-hats say nothing, nor do those of what a prior says of each. They have an axis whose name begins with "factor",
// and models record them last. So do whole numbers with an axis: they are labels, as states of points are.
bool can_turn(const Variable& variable) {
  const bool labels = variable.integer && !variable.shape.empty();
  return labels || std::ranges::any_of(variable.dims, [](const std::string& dim) { return dim.starts_with("factor"); });
}

std::vector<std::string> names_of_factors(const Layout& layout) {
  std::vector<std::string> names;
  for (const Variable& variable : layout.variables) {
    if (can_turn(variable)) names.push_back(variable.name);
  }
  return names;
}

// "R-hat above 1.01 in 2 parameters: chain 2 drifts; R-hat: tau 1.034, mu 1.02. Try --warmup 2000"
std::string in_one_line(const Problem& problem) {
  const std::string parameters = list_parameters(problem, 3);
  return fmt::format("{}{}{}. Try {}", problem.what, parameters.empty() ? "" : "; ", parameters, problem.advice);
}

// Over all chains that have moments, the mean and the variance about it: those within the chains, and that of their
// means. A chain of a run in progress has none before the first checkpoint after its warm-up.
void use_moments(const PosteriorMoments& moments, RunSummary& summary) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Vec mean = Vec::Zero(moments.layout.size()), squares = mean;
  summary.made = 0;
  for (const ChainMoments& chain : moments.chains) {
    if (chain.draws == 0) continue;
    summary.made += chain.draws;
    mean += static_cast<double>(chain.draws) * chain.mean;
  }
  const auto n = static_cast<double>(summary.made);
  mean /= n;  // NaN of none
  for (const ChainMoments& chain : moments.chains) {
    if (chain.draws == 0) continue;
    const auto draws = static_cast<double>(chain.draws);
    squares += draws * (chain.mean - mean).cwiseAbs2();
    if (chain.draws > 1) squares += (draws - 1) * chain.sd.cwiseAbs2();
  }
  if (summary.keep == Keep::moments) {
    summary.rows.assign(summary.names.size(),
                        {unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown});
  }
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const auto k = static_cast<Index>(i);
    summary.rows[i].mean = mean[k];
    summary.rows[i].sd = n > 1 ? std::sqrt(squares[k] / (n - 1)) : unknown;
    summary.rows[i].mcse_mean = unknown;  // the stored draws are fewer than those it is the error of
  }
}

// "held-out test.csv, 54 rows: log_score -0.39, accuracy 0.85, ..."
std::string held_out_text(const Scores& scores, const RunInfo& info) {
  std::string text = scores.unpredicted > 0 ? " no scores, because predictions are NaN" : "";
  for_each_score(scores, [&](std::string_view name, double value) {
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", name, number(value));
  });
  return fmt::format("\nheld out {}, {}:{}\n", info.held_out_source, counted(scores.rows, "row", "rows"), text);
}

Json problem_json(const Problem& problem) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : problem.parameters) {
    parameters.push_back({{"name", parameter.name}, {"value", parameter.value}});
  }
  return {{"kind", problem.kind},
          {"what", problem.what},
          {"measure", problem.measure},
          {"parameters", parameters},
          {"advice", problem.advice}};
}

Json held_out_json(const Scores& scores, const RunInfo& info) {
  Json json = {{"data", info.held_out_source}, {"rows", scores.rows}};
  if (scores.unpredicted > 0) {
    json["unpredicted"] = scores.unpredicted;
    json["log_score"] = nullptr;
  }
  for_each_score(scores, [&](std::string_view name, double value) { json[std::string(name)] = value; });
  return json;
}

std::string heading(const RunSummary& summary, const RunInfo& info) {
  return fmt::format("{}{}, {}: {}; {}; {:.2f} s + {:.2f} s", info.model,
                     info.data_source.empty() ? "" : " on " + info.data_source, info.sampler,
                     extent_text(summary, info), counted(info.gradient_evaluations, "gradient", "gradients"),
                     info.warmup_seconds, info.sampling_seconds);
}

TextTable table_of_moments(const RunSummary& summary, std::size_t most) {
  TextTable table({"<", "mean", "sd"});
  for (std::size_t i = 0; i < std::min(most, summary.rows.size()); ++i) {
    table.add({summary.names[i], number(summary.rows[i].mean), number(summary.rows[i].sd)});
  }
  return table;
}

TextTable table_of(const RunSummary& summary, std::size_t most) {
  if (summary.keep == Keep::moments) return table_of_moments(summary, most);
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
  return table;
}

}  // namespace

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

Run without_factors(Run run) {
  const auto cut = [](Layout& layout) {
    const auto first = std::ranges::find_if(layout.variables, can_turn);
    layout.variables.erase(first, layout.variables.end());
  };
  cut(run.layout);
  cut(run.moments.layout);
  for (ChainMoments& chain : run.moments.chains) {
    if (chain.draws == 0) continue;
    chain.mean = Vec(chain.mean.head(run.moments.layout.size()));
    chain.sd = Vec(chain.sd.head(run.moments.layout.size()));
  }
  return run;
}

Mat varying_weights(const Run& run) {
  Mat weights = statistic(run, "weight");
  const bool vary = weights.size() > 0 && weights.minCoeff() < weights.maxCoeff();
  return vary ? weights : Mat();
}

RunSummary summarize_run(const Run& whole) {
  const Run run = without_factors(whole);
  RunSummary summary;
  summary.keep = whole.keep();
  summary.left_out = names_of_factors(summary.keep == Keep::moments ? whole.moments.layout : whole.layout);
  summary.names = element_names(summary.keep == Keep::moments ? run.moments.layout : run.layout);
  summary.held_out = scores_of(run.held_out.predictions);
  summary.chains = run.chains();
  summary.draws = run.draws();
  summary.made = summary.draws * summary.chains;
  Summarizer summarizer(summary.draws, summary.chains);
  const Mat weights = varying_weights(run);
  summary.weights_vary = weights.size() > 0;
  for_each_element(run, [&](Index, const Mat& draws) {
    summary.rows.push_back(summarizer(draws));
    if (weights.size() > 0) summary.weighted_means.push_back(draws.cwiseProduct(weights).sum() / weights.sum());
  });
  if (summary.keep != Keep::all) use_moments(run.moments, summary);
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
  Json json{{"parameters", parameters}};
  add_extent(json, summary.chains, summary.draws, info);
  json.update({{"divergences", info.divergences},
               {"gradient_evaluations", info.gradient_evaluations},
               {"sampling_seconds", info.sampling_seconds},
               {"sampler", info.sampler},
               {"model", info.model},
               {"warnings", warnings_of(summary)}});
  if (!summary.left_out.empty()) json["left_out"] = summary.left_out;
  if (summary.keep != Keep::all) json["keep"] = summary.keep == Keep::thin ? "thin" : "moments";
  if (summary.held_out.rows > 0) json["held_out"] = held_out_json(summary.held_out, info);
  return json;
}

nlohmann::ordered_json to_json(const Diagnosis& diagnosis) {
  Json problems = Json::array();
  for (const Problem& problem : diagnosis.problems) problems.push_back(problem_json(problem));
  return {{"ok", diagnosis.problems.empty()}, {"problems", problems}, {"checked", diagnosis.checked}};
}

std::string extent_text(const RunSummary& summary, const RunInfo& info) {
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

std::vector<std::string> warnings_beside_problems(const RunSummary& summary) {
  std::vector<std::string> warnings;
  if (summary.weights_vary && (summary.keep != Keep::all || summary.held_out.rows > 0)) {
    warnings.emplace_back(
        "the step size changes, and draws should weigh as it does: moments and held-out predictions are averages in "
        "which "
        "all weigh the same. Only the weighted means of --keep all are right");
  }
  if (const Scores& scores = summary.held_out; scores.unpredicted > 0) {
    warnings.push_back(
        fmt::format("{} of {} held-out rows have a prediction that is NaN, so that there are no scores: their numbers, "
                    "or those of a "
                    "draw, are too large for the model",
                    scores.unpredicted, scores.rows));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const RunSummary& summary) {
  std::vector<std::string> warnings;
  for (const Problem& problem : summary.diagnosis.problems) warnings.push_back(in_one_line(problem));
  for (std::string& warning : warnings_beside_problems(summary)) warnings.push_back(std::move(warning));
  return warnings;
}

std::string summary_text(const RunSummary& summary, const RunInfo& info, std::size_t most) {
  std::string text = heading(summary, info) + "\n";
  if (!summary.rows.empty()) text += fmt::format("\n{}", table_of(summary, most).text());
  if (summary.rows.size() > most) {
    text += fmt::format("… and {} more; quasar summary shows all\n", summary.rows.size() - most);
  }
  if (!summary.left_out.empty()) {
    text += fmt::format("\nleft out: {}, which one by one say nothing: they can turn, or change names\n",
                        fmt::join(summary.left_out, ", "));
  }
  const std::string kept = what_is_kept(summary);
  if (!kept.empty()) text += "\n" + kept + "\n";
  if (summary.held_out.rows > 0) text += held_out_text(summary.held_out, info);
  return text;
}

std::string what_is_kept(const RunSummary& summary) {
  if (summary.keep != Keep::all && summary.made == 0) {
    return "kept: mean and sd, which a run in progress has from the first checkpoint after warm-up on; not yet";
  }
  switch (summary.keep) {
    case Keep::moments:
      return "kept: mean and sd of every chain and no draws, so that quantiles, R-hat and effective draws are unknown";
    case Keep::thin:
      return fmt::format("kept: {} of each chain; mean and sd are those of all that were made",
                         counted(summary.draws, "draw", "draws"));
    case Keep::all:
      break;
  }
  return {};
}

}  // namespace quasar
