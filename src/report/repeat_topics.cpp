#include "report/repeat_topics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "front/topic_settings.hpp"
#include "report/command_text.hpp"

namespace quasar::report {
namespace {

using Json = nlohmann::ordered_json;

// What decides a fit of a known method; of a file that was made by a program there may be anything, and null is
// returned.
Json settings_in(const TopicFitInfo& info) {
  Json settings = Json::parse(info.configuration, nullptr, false);
  if (!settings.is_object()) return nullptr;
  for (const char* table : {"parameters", "documents"}) {
    if (!settings.contains(table)) settings[table] = Json::object();
    if (!settings[table].is_object()) return nullptr;
    for (const auto& entry : settings[table].items()) {
      if (entry.value().is_structured()) return nullptr;
    }
  }
  const auto methods = topic_methods();
  const bool known = std::ranges::any_of(methods, [&](const TopicMethodEntry& one) { return one.name == info.method; });
  return known ? settings : Json(nullptr);
}

void add_flag(std::string& command, const std::string& name, const Json& value) {
  command += fmt::format(" {} {}", flag_text(name), shell_quoted(value_text(value)));
}

}  // namespace

std::string command_of(const TopicFitInfo& info) {
  const Json settings = settings_in(info);
  if (settings.is_null()) return {};
  std::string command = fmt::format("quasar topics fit {}", shell_quoted(info.data_source));
  for (const auto& entry : settings["documents"].items()) add_flag(command, entry.key(), entry.value());
  for (const ParamSpec& spec : topic_fit_params()) {
    const std::string name(spec.name);
    if (!settings.contains(name) || settings[name].is_structured() || is_default(spec, settings[name])) continue;
    add_flag(command, name, settings[name]);
  }
  if (settings.contains("held_out") && settings["held_out"].is_string()) {
    add_flag(command, "held_out", settings["held_out"]);
  }
  add_set_flags(command, find_topic_method(info.method).params(), settings["parameters"], "");
  return command;
}

Json hashes_of(const TopicFitInfo& info) {
  Json pairs = Json::array();
  const auto add = [&](const std::string& what, const std::string& hash) {
    if (!hash.empty()) pairs.push_back({what, hash});
  };
  add(fmt::format("documents {}", info.data_source), info.data_hash);
  add(fmt::format("held out {}", info.held_out_source), info.held_out_hash);
  return pairs;
}

}  // namespace quasar::report
