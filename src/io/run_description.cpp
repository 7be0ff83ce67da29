#include "io/run_description.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <set>
#include <type_traits>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "core/fnv1a.hpp"
#include "io/json_text.hpp"
#include "io/run_json.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

Json layout_json(const Layout& layout) {
  Json variables = Json::array();
  for (const Variable& v : layout.variables) {
    variables.push_back({{"name", v.name}, {"shape", v.shape}, {"dims", v.dims}, {"integer", v.integer}});
  }
  return {{"variables", variables}, {"coords", layout.coords}};
}

// nlohmann turns 1e300 into an integer without a word.
template <class T>
void get(const Json& json, T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!json.is_number_integer()) throw DataError("a number that is not whole");
  }
  json.get_to(value);
}

std::vector<Index> sizes_from(const Json& json) {
  std::vector<Index> sizes;
  for (const Json& size : json) get(size, sizes.emplace_back());
  return sizes;
}

Layout layout_from(const Json& json) {
  Layout layout;
  for (const Json& v : json.at("variables")) {
    layout.variables.push_back({v.at("name"), sizes_from(v.at("shape")), v.at("dims"), v.at("integer")});
  }
  layout.coords = json.at("coords");
  return layout;
}

RunInfo info_from(const Json& json) {
  RunInfo info;
  RunInfo::fields(info, [&](std::string_view name, auto& value) { get(json.at(std::string(name)), value); });
  return info;
}

Json stats_json(const std::vector<StatSpec>& stats) {
  Json out = Json::array();
  for (const StatSpec& stat : stats) out.push_back({{"name", stat.name}, {"type", static_cast<int>(stat.type)}});
  return out;
}

std::vector<StatSpec> stats_from(const Json& json) {
  constexpr std::array types = {StatSpec::real, StatSpec::integer, StatSpec::boolean};
  std::vector<StatSpec> stats;
  for (const Json& stat : json) {
    std::size_t type = 0;
    get(stat.at("type"), type);
    stats.push_back({stat.at("name"), types.at(type)});
  }
  return stats;
}

// A damaged description must not ask for sizes that overflow; the sizes of the files bound the rest.
void require_plausible_run(const RunDescription& description) {
  constexpr double most = 1e12;
  const auto size = [](const Layout& layout) {
    double total = 0;
    for (const Variable& variable : layout.variables) {
      double one = 1;
      for (const Index extent : variable.shape) one *= extent >= 0 ? static_cast<double>(extent) : most;
      total += one;
    }
    return total;
  };
  const Schedule& schedule = description.header.info.schedule;
  const bool plausible = size(description.header.layout) < most && description.chains > 0 && description.dim >= 0 &&
                         description.header.info.members > 0 && schedule.warmup >= 0 && schedule.draws >= 0 &&
                         schedule.thin > 0 && static_cast<double>(description.dim) < most &&
                         size(description.header.moments.layout) < most && description.header.info.stored_every > 0;
  if (!plausible) throw DataError("impossible sizes");
  const auto classes = static_cast<double>(description.held_out.classes.size());
  for (const double observed : description.held_out.observed) {
    const bool is_class = observed >= 0 && observed < classes && observed == std::floor(observed);
    if (classes > 0 && !is_class && !std::isnan(observed)) throw DataError("a held-out row of no known class");
  }
  const std::size_t numbers = description.held_out.numbers.size();
  if (numbers > 0 && numbers != description.held_out.observed.size()) throw DataError("numbers of other rows");
  check_layout(description.header.layout);
  check_layout(description.header.moments.layout);
}

RunDescription from_json(const Json& json) {
  RunDescription out;
  out.header.info = info_from(json.at("info"));
  out.header.layout = layout_from(json.at("layout"));
  out.header.stats = stats_from(json.at("stats"));
  out.header.constants.layout = layout_from(json.at("constants"));
  const std::vector<double> values = json.at("constant_values");
  out.header.constants.values = Eigen::Map<const Vec>(values.data(), std::ssize(values));
  out.header.constants.attributes = json.at("constant_attributes");
  out.header.moments.layout = layout_from(json.at("moments"));
  out.held_out.classes = json.at("held_out_classes").get<std::vector<std::string>>();
  for (const Json& number : json.at("held_out_observed")) {
    out.held_out.observed.push_back(number.is_null() ? Scores::none : number.get<double>());  // JSON has no NaN
  }
  out.held_out.numbers = sizes_from(json.at("held_out_numbers"));
  get(json.at("chains"), out.chains);
  get(json.at("dim"), out.dim);
  out.save_warmup = json.at("save_warmup");
  out.replace = json.at("replace");
  return out;
}

// Every setting of a configuration by its name, as in "run.draws".
std::map<std::string, std::string> flattened(const RunInfo& info) {
  static const std::set<std::string> indifferent = {
      "run.threads",    "run.out",      "run.overwrite",     "run.quiet",
      "run.data",       "run.init",     "run.resume",        "run.checkpoint_every",
      "run.bridgestan", "run.held_out", "run.log_likelihood"};
  std::map<std::string, std::string> settings = {{"version of Quasar", info.quasar_version},
                                                 {"content of the data", info.data_hash},
                                                 {"content of the held-out data", info.held_out_hash},
                                                 {"initial points", info.init_hash}};
  const Json tables = Json::parse(info.configuration, nullptr, false);  // a program's own may be anything
  for (const auto& [table, keys] : tables.items()) {
    if (!keys.is_object()) continue;
    for (const auto& [key, value] : keys.items()) {
      const std::string name = table + "." + key;
      if (!indifferent.contains(name)) settings[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return settings;
}

std::string without_table(const std::string& name) { return name.starts_with("run.") ? name.substr(4) : name; }

std::string shown_value(const std::map<std::string, std::string>& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() || found->second.empty() ? "none" : found->second;
}

void drop_table(std::map<std::string, std::string>& settings, const std::string& prefix) {
  std::erase_if(settings, [&](const auto& setting) { return setting.first.starts_with(prefix); });
}

}  // namespace

std::string to_text(const RunDescription& description) {
  const ConstantData& constants = description.header.constants;
  const Json json = {
      {"info", info_json(description.header.info)},
      {"layout", layout_json(description.header.layout)},
      {"stats", stats_json(description.header.stats)},
      {"constants", layout_json(constants.layout)},
      {"constant_values", std::vector<double>(constants.values.begin(), constants.values.end())},
      {"constant_attributes", constants.attributes},
      {"moments", layout_json(description.header.moments.layout)},
      {"held_out_classes", description.held_out.classes},
      {"held_out_observed", description.held_out.observed},
      {"held_out_numbers", description.held_out.numbers},
      {"chains", description.chains},
      {"dim", description.dim},
      {"save_warmup", description.save_warmup},
      {"replace", description.replace},
  };
  return as_utf8(json).dump();
}

RunDescription parse_description(std::string_view text, const std::string& name) {
  try {
    RunDescription description = from_json(Json::parse(text));
    require_plausible_run(description);
    return description;
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: is damaged: {}", name, error.what()));
  }
}

std::uint64_t identity(std::string_view text) { return fnv1a(text); }
std::uint64_t identity(const RunDescription& description) { return identity(to_text(description)); }

std::vector<std::string> differences(const RunInfo& there, const RunInfo& here) {
  auto saved = flattened(there), wanted = flattened(here);
  for (const std::string table : {"model", "sampler"}) {  // the parameters of two models cannot be compared
    if (saved["run." + table] != wanted["run." + table]) {
      for (auto* settings : {&saved, &wanted}) drop_table(*settings, table + ".");
    }
  }
  std::set<std::string> names;
  for (const auto& [name, value] : saved) names.insert(name);
  for (const auto& [name, value] : wanted) names.insert(name);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::string a = shown_value(saved, name), b = shown_value(wanted, name);
    if (a != b) found.push_back(fmt::format("{}: {} there, {} here", without_table(name), a, b));
  }
  return found;
}

}  // namespace quasar
