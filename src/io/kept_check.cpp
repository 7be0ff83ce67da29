#include "io/kept_check.hpp"

#include <algorithm>

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

template <class Fits>
bool missing_or(const Json& json, const char* name, Fits fits) {
  return !json.contains(name) || fits(json[name]);
}

bool is_text(const Json& json) { return json.is_string(); }
bool is_number(const Json& json) { return json.is_number() || json.is_null(); }

template <class Fits>
bool is_list_of(const Json& json, Fits fits) {
  return json.is_array() && std::all_of(json.begin(), json.end(), fits);
}

template <class Fits>
bool has(const Json& json, const char* name, Fits fits) {
  return json.is_object() && json.contains(name) && fits(json[name]);
}

bool is_deviation(const Json& json) {
  return has(json, "value", is_number) && missing_or(json, "mcse", is_number) &&
         missing_or(json, "beyond_chance", [](const Json& mark) { return mark.is_boolean(); });
}

bool is_parameter(const Json& json) {
  return has(json, "name", is_text) && has(json, "mean_error", is_deviation) && has(json, "sd_error", is_deviation);
}

bool is_exact(const Json& json) {
  for (const char* name : {"chains", "warmup", "draws", "gradient_evaluations", "largest_rhat"}) {
    if (json.is_object() && !missing_or(json, name, is_number)) return false;
  }
  return has(json, "beyond_chance", [](const Json& count) { return count.is_number_integer(); }) &&
         has(json, "parameters", [](const Json& all) { return is_list_of(all, is_parameter); }) &&
         missing_or(json, "sampler", is_text);
}

bool is_discrepancy(const Json& json) {
  return has(json, "ksd", is_number) && missing_or(json, "u_statistic", is_number) &&
         missing_or(json, "standard_error", is_number);
}

bool is_stein(const Json& json) {
  return has(json, "run", is_discrepancy) && missing_or(json, "draws", is_number) &&
         missing_or(json, "exact", is_discrepancy);
}

}  // namespace

bool is_check(const nlohmann::ordered_json& json) {
  return json.is_object() && missing_or(json, "exact", is_exact) && missing_or(json, "ksd", is_stein) &&
         missing_or(json, "warnings", [](const Json& all) { return is_list_of(all, is_text); });
}

}  // namespace quasar
