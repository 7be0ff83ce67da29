#include "report/repeat_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>

#include "front/run_settings.hpp"
#include "report/command_text.hpp"

namespace quasar::report {
namespace {

using Json = nlohmann::ordered_json;

// Settings of [run] that have no influence on the draws, or stand among the sampler's already.
bool is_left_out(const std::string& key) {
  static const std::set<std::string> keys = {"out",     "overwrite",  "resume",          "quiet",
                                             "threads", "batch_size", "checkpoint_every"};
  return keys.contains(key);
}

// Texts of [run] are empty unless they were given.
bool is_given(const Json& run, const std::string& key) {
  const auto found = run.find(key);
  return found != run.end() && !(found->is_string() && found->get_ref<const std::string&>().empty());
}

// The tables run, model and sampler; of a run made by a program there may be anything, and null is returned.
Json tables_of(const RunInfo& info) {
  Json tables = Json::parse(info.configuration, nullptr, false);
  if (!tables.is_object()) return nullptr;
  for (const char* name : {"run", "model", "sampler"}) {
    if (!tables.contains(name) || !tables[name].is_object()) return nullptr;
    for (const auto& [key, value] : tables[name].items()) {
      if (value.is_structured()) return nullptr;
    }
  }
  const Json& run = tables["run"];
  const bool has_model = is_given(run, "model") || is_given(run, "bridgestan");
  return has_model && run.contains("sampler") ? tables : Json(nullptr);
}

void add_run_flags(std::string& command, const Json& run) {
  for (const ParamSpec& spec : run_keys(Task::sample)) {
    const std::string name(spec.name);
    if (is_left_out(name) || !run.contains(name) || run[name].is_null() || is_default(spec, run[name])) continue;
    command += fmt::format(" {}", flag_text(name));
    if (spec.type != ParamSpec::boolean) command += fmt::format(" {}", shell_quoted(value_text(run[name])));
  }
}

template <class Entry>
std::span<const ParamSpec> params_of(std::span<const Entry> entries, const Json& name) {
  const std::string wanted = name.is_string() ? name.get<std::string>() : "";
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == wanted; });
  return found == entries.end() ? std::span<const ParamSpec>() : found->params;
}

// A basic string of TOML is one of JSON that also escapes DEL.
std::string toml_value(const Json& value) {
  std::string text = value.dump();
  for (std::size_t at = 0; (at = text.find('\x7f', at)) != std::string::npos;) text.replace(at, 1, "\\u007f");
  return text;
}

std::string toml_table(std::string_view name, const Json& table, std::span<const ParamSpec> specs) {
  std::string text = fmt::format("[{}]\n", name);
  for (const ParamSpec& spec : specs) {
    const std::string key(spec.name);
    const bool of_run = name == "run";
    if (!table.contains(key) || table[key].is_null() || (of_run && is_left_out(key))) continue;
    if (of_run && !is_given(table, key)) continue;
    text += fmt::format("{} = {}\n", key, toml_value(table[key]));
  }
  return text;
}

}  // namespace

std::string command_of(const RunInfo& info) {
  const Json tables = tables_of(info);
  if (tables.is_null()) return {};
  std::string command = "quasar sample";
  add_run_flags(command, tables["run"]);
  add_set_flags(command, params_of(models(), tables["run"]["model"]), tables["model"], "model.");
  add_set_flags(command, params_of(samplers(), tables["run"]["sampler"]), tables["sampler"], "");
  return command;
}

std::string configuration_of(const RunInfo& info) {
  const Json tables = tables_of(info);
  if (tables.is_null()) return {};
  const std::vector<ParamSpec> keys = run_keys(Task::sample);
  return toml_table("run", tables["run"], keys) + "\n" +
         toml_table("model", tables["model"], params_of(models(), tables["run"]["model"])) + "\n" +
         toml_table("sampler", tables["sampler"], params_of(samplers(), tables["run"]["sampler"]));
}

nlohmann::ordered_json hashes_of(const RunInfo& info) {
  Json pairs = Json::array();
  const auto add = [&](const std::string& what, const std::string& hash) {
    if (!hash.empty()) pairs.push_back({what, hash});
  };
  add(fmt::format("data {}", info.data_source), info.data_hash);
  add(fmt::format("held out {}", info.held_out_source), info.held_out_hash);
  const Json tables = tables_of(info);
  if (!tables.is_null()) {
    add("compiled program", value_text(tables["model"].value("library", Json(""))));
    const bool given = !value_text(tables["run"].value("init", Json(""))).empty();
    add(given ? "initial points" : "initial points, of a search that the command does not repeat", info.init_hash);
  } else {
    add("initial points", info.init_hash);
  }
  return pairs;
}

}  // namespace quasar::report
