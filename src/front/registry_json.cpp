#include "front/registry_json.hpp"

#include <cmath>
#include <string_view>

#include "io/json_text.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

std::string_view type_name(ParamSpec::Type type) {
  static constexpr std::string_view names[] = {"real", "integer", "boolean", "choice", "text"};
  return names[type];
}

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json default_value(const ParamSpec& spec) {
  if (spec.type == ParamSpec::real) return *parse_real(spec.init);
  if (spec.type == ParamSpec::integer) return *parse_integer(spec.init);
  if (spec.type == ParamSpec::boolean) return spec.init == "true";
  return spec.init;
}

Json entry_json(const SamplerEntry& s) {
  return {{"name", s.name},
          {"family", s.family},
          {"doc", s.doc},
          {"exact", s.law == Law::exact},
          {"law", to_string(s.law)},
          {"why", s.why},
          {"stochastic", s.stochastic},
          {"parameters", to_json(s.params)}};
}
Json entry_json(const ModelEntry& m) {
  return {{"name", m.name},
          {"family", m.family},
          {"doc", m.doc},
          {"needs_data", m.needs_data},
          {"parameters", to_json(m.params)}};
}
Json entry_json(const ProblemEntry& p) {
  return {{"name", p.name}, {"manifold", p.manifold}, {"doc", p.doc}, {"parameters", to_json(p.params)}};
}

Json entry_json(const TopicMethodEntry& t) {
  return {{"name", t.name},
          {"kind", to_string(t.kind)},
          {"doc", t.doc},
          {"exact", t.law == Law::exact},
          {"law", to_string(t.law)},
          {"why", t.why},
          {"topic_count", to_string(t.count)},
          {"sweeps", t.sweeps},
          {"parameters", to_json(t.params())}};
}
Json entry_json(const ExperimentEntry& e) { return {{"name", e.name}, {"paper", e.paper}, {"doc", e.doc}}; }

template <class Entry>
Json list_json(std::span<const Entry> entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) list.push_back(entry_json(entry));
  return list;
}

}  // namespace

Json to_json(std::span<const ParamSpec> specs) {
  Json list = Json::array();
  for (const ParamSpec& spec : specs) {
    Json choices = Json::array();
    for (const Choice& choice : spec.choices) {
      Json entry{{"value", choice.value}};
      if (choice.law) entry["law"] = to_string(*choice.law);
      if (!choice.unless.empty()) entry["unless"] = choice.unless;
      choices.push_back(entry);
    }
    list.push_back({{"name", spec.name},
                    {"doc", spec.doc},
                    {"type", type_name(spec.type)},
                    {"default", default_value(spec)},
                    {"min", bound(spec.min)},
                    {"max", bound(spec.max)},
                    {"choices", choices}});
    if (spec.exclusive_min) list.back()["exclusive_min"] = true;
    if (spec.changed_law) list.back()["changed_law"] = to_string(*spec.changed_law);
  }
  return list;
}

Json to_json(std::span<const SamplerEntry> entries) { return list_json(entries); }
Json to_json(std::span<const ModelEntry> entries) { return list_json(entries); }
Json to_json(std::span<const TopicMethodEntry> entries) { return list_json(entries); }
Json to_json(std::span<const ProblemEntry> entries) { return list_json(entries); }
Json to_json(std::span<const ExperimentEntry> entries) { return list_json(entries); }

Json to_json(const ExperimentEntry& entry, const ExperimentResult& result, double seconds) {
  Json rows = Json::array();
  for (const ExperimentRow& row : result.rows) {
    rows.push_back({{"method", row.method},
                    {"quantity", row.quantity},
                    {"value", row.value},
                    {"mcse", optional_number(row.mcse)},
                    {"printed", optional_number(row.printed)}});
  }
  return {{"experiment", entry.name},
          {"paper", entry.paper},
          {"settings", result.settings},
          {"rows", rows},
          {"seconds", seconds}};
}

}  // namespace quasar
