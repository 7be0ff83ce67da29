#include "io/stan_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <quasar/errors.hpp>

#include "io/json_text.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

struct StanColumn {
  std::string_view column, statistic;
  double absent;
};

// Readers refuse a trajectory without a depth, and a depth that is no whole number; 0 is none that a tree has.
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<StanColumn, 7> columns{{{"lp__", "lp", none},
                                             {"accept_stat__", "acceptance_rate", none},
                                             {"stepsize__", "step_size", none},
                                             {"treedepth__", "tree_depth", 0},
                                             {"n_leapfrog__", "n_steps", none},
                                             {"divergent__", "diverging", none},
                                             {"energy__", "energy", none}}};
constexpr std::size_t fixed_param_columns = 2;
constexpr std::array required{"step_size", "n_steps", "diverging", "energy"};
constexpr std::int64_t stan_max_depth = 10;  // CmdStan's default, for a sampler that has no such limit

Index position_of(const Run& run, std::string_view name) {
  const auto found =
      std::find_if(run.stats.begin(), run.stats.end(), [&](const StatSpec& stat) { return stat.name == name; });
  return found == run.stats.end() ? -1 : found - run.stats.begin();
}

// A choice with arguments of its own.
Json choice(const std::string& value, Json arguments) { return {{"value", value}, {value, std::move(arguments)}}; }

// One value of the run's configuration, null where it has none.
Json configured(const Run& run, const char* table, const char* key) {
  const Json all = Json::parse(run.info.configuration, nullptr, false);
  if (!all.is_object() || !all.contains(table) || !all[table].is_object()) return nullptr;
  return all[table].value(key, Json());
}

// Readers expect ceil(num_samples / thin) rows, also of a run that was stopped before it had them all.
std::int64_t iterations(const Schedule& schedule, std::int64_t planned, Index rows) {
  return schedule.kept(planned) == rows ? planned : rows * schedule.thin;
}

bool writes_warmup(const Run& run, const StanShape& shape) {
  return shape.trajectories && run.source->has(Phase::warmup);
}

Json algorithm(const Run& run, const StanShape& shape) {
  if (!shape.trajectories) return choice("fixed_param", {{"metric", stan_metric(run)}});
  const bool trees = position_of(run, "tree_depth") >= 0;
  const Json depth = configured(run, "sampler", "max_depth");
  const Json limit = {{"max_depth", depth.is_number_integer() ? depth : Json(stan_max_depth)}};
  return choice("hmc", {{"engine", choice(trees ? "nuts" : "static", limit)}, {"metric", stan_metric(run)}});
}

Json sample_settings(const Run& run, const StanShape& shape) {
  Schedule schedule = run.info.schedule;
  schedule.thin *= run.info.stored_every;
  const bool warmup = writes_warmup(run, shape);
  const Index warmup_rows = warmup ? run.source->draws(Phase::warmup) : schedule.kept(schedule.warmup);
  Json settings = {{"num_samples", iterations(schedule, schedule.draws, run.draws())},
                   {"num_warmup", iterations(schedule, schedule.warmup, warmup_rows)},
                   {"save_warmup", warmup},
                   {"thin", schedule.thin}};
  const Json accept = configured(run, "sampler", "target_accept");
  if (accept.is_number()) settings["adapt"] = {{"engaged", schedule.warmup > 0}, {"delta", accept}};
  settings["algorithm"] = algorithm(run, shape);
  settings["num_chains"] = run.chains();
  return settings;
}

std::string value_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.is_string() ? printable(value.get<std::string>()) : value.dump();
}

void append_comments(std::string& text, const Json& settings, int indent) {
  for (const auto& [key, value] : settings.items()) {
    if (key == "value") continue;
    const Json& shown = value.is_object() && value.contains("value") ? value["value"] : value;
    text += fmt::format("#{:{}}{}", "", indent, key);
    text += shown.is_object() ? "\n" : fmt::format(" = {}\n", value_text(shown));
    if (value.is_object()) append_comments(text, value, indent + 2);
  }
}

}  // namespace

StanShape stan_shape(const Run& run) {
  StanShape shape;
  shape.trajectories = std::all_of(required.begin(), required.end(),
                                   [&](std::string_view statistic) { return position_of(run, statistic) >= 0; });
  const std::size_t count = shape.trajectories ? columns.size() : fixed_param_columns;
  for (std::size_t i = 0; i < count; ++i) {
    const StanColumn& one = columns[i];
    shape.statistics.push_back({std::string(one.column), position_of(run, one.statistic), one.absent});
  }
  if (shape.trajectories && run.tuning.empty()) {
    throw UsageError(
        "Stan CSV holds the step size and the metric, which a run in progress has not settled yet; csv and json can be "
        "written now");
  }
  return shape;
}

std::string stan_metric(const Run& run) {
  const Index size = run.tuning.empty() ? 0 : run.tuning.front().inverse_metric.cols();
  return size == 0 ? "unit_e" : size == 1 ? "diag_e" : "dense_e";
}

// Ours come first: some readers search all lines for words like "thin" and keep the last that they find.
Json stan_settings(const Run& run, const StanShape& shape, Index chain) {
  const RunInfo& info = run.info;
  const Json settings = {{"stan_version_major", 2},  // of the format
                         {"stan_version_minor", 36},
                         {"stan_version_patch", 0},
                         {"quasar_version", info.quasar_version},
                         {"quasar_sampler", info.sampler},
                         {"quasar_metric", configured(run, "sampler", "metric")},
                         {"quasar_data_hash", info.data_hash},
                         {"quasar_stopped_early", info.stopped_early},
                         {"quasar_configuration", info.configuration},
                         {"model", info.model},
                         {"start_datetime", info.created_at},
                         {"method", choice("sample", sample_settings(run, shape))},
                         {"id", chain + 1},
                         {"data", {{"file", info.data_source}}},
                         {"init", info.init_hash.empty() ? Json(2) : configured(run, "run", "init")},
                         {"random", {{"seed", info.seed}}}};
  return as_utf8(settings);
}

std::string stan_comments(const Json& settings) {
  std::string text;
  append_comments(text, settings, 1);
  return text;
}

}  // namespace quasar
