#include "io/kept_check.hpp"

#include <algorithm>

namespace quasar {
namespace {

using Check = nlohmann::ordered_json;

template <class Fits>
bool missing_or(const Check& json, const char* name, Fits fits) {
  return !json.contains(name) || fits(json[name]);
}

bool is_text(const Check& json) { return json.is_string(); }
bool is_numeric(const Check& json) { return json.is_number() || json.is_null(); }

template <class Fits>
bool is_list_of(const Check& json, Fits fits) {
  return json.is_array() && std::all_of(json.begin(), json.end(), fits);
}

template <class Fits>
bool has(const Check& json, const char* name, Fits fits) {
  return json.is_object() && json.contains(name) && fits(json[name]);
}

bool is_deviation(const Check& json) {
  return has(json, "value", is_numeric) && missing_or(json, "mcse", is_numeric) &&
         missing_or(json, "beyond_chance", [](const Check& mark) { return mark.is_boolean(); });
}

bool is_parameter(const Check& json) {
  return has(json, "name", is_text) && has(json, "mean_error", is_deviation) && has(json, "sd_error", is_deviation);
}

bool is_exact(const Check& json) {
  for (const char* name : {"chains", "warmup", "draws", "gradient_evaluations", "largest_rhat"}) {
    if (json.is_object() && !missing_or(json, name, is_numeric)) return false;
  }
  return has(json, "beyond_chance", [](const Check& count) { return count.is_number_integer(); }) &&
         has(json, "parameters", [](const Check& all) { return is_list_of(all, is_parameter); }) &&
         missing_or(json, "sampler", is_text);
}

bool is_discrepancy(const Check& json) {
  return has(json, "ksd", is_numeric) && missing_or(json, "u_statistic", is_numeric) &&
         missing_or(json, "standard_error", is_numeric);
}

bool is_stein(const Check& json) {
  return has(json, "run", is_discrepancy) && missing_or(json, "draws", is_numeric) &&
         missing_or(json, "exact", is_discrepancy);
}

}  // namespace

bool is_check(const nlohmann::ordered_json& json) {
  return json.is_object() && missing_or(json, "exact", is_exact) && missing_or(json, "ksd", is_stein) &&
         missing_or(json, "warnings", [](const Check& all) { return is_list_of(all, is_text); });
}

}  // namespace quasar
