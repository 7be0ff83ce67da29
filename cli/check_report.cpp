// What --check found, as text, as JSON and as warnings.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;
using Part = Deviation ParameterDeviation::*;

// The parameter that is the most standard errors off; null where none is defined.
const ParameterDeviation* worst(const ExactComparison& exact, Part part) {
  const ParameterDeviation* found = nullptr;
  double most = -1;
  for (const ParameterDeviation& parameter : exact.parameters) {
    if (const double errors = (parameter.*part).standard_errors(); errors > most) {
      most = errors;
      found = &parameter;
    }
  }
  return found;
}

bool beyond_chance(const ParameterDeviation& parameter) {
  return parameter.mean.beyond_chance() || parameter.sd.beyond_chance();
}

std::ptrdiff_t count_beyond_chance(const ExactComparison& exact) {
  return std::count_if(exact.parameters.begin(), exact.parameters.end(), beyond_chance);
}

// "mean 0.42 sd (14 standard errors) in theta[2]"
std::string worst_in_words(const ExactComparison& exact, Part part, std::string_view what) {
  const ParameterDeviation* parameter = worst(exact, part);
  if (!parameter) return fmt::format("{} undefined", what);
  const Deviation& deviation = parameter->*part;
  return fmt::format("{} {:+.2g} ({:.2g} standard errors) in {}", what, deviation.value, deviation.standard_errors(),
                     parameter->name);
}

std::string both_worst(const ExactComparison& exact) {
  return worst_in_words(exact, &ParameterDeviation::mean, "mean") + ", " +
         worst_in_words(exact, &ParameterDeviation::sd, "sd");
}

std::string not_converged(const ExactComparison& exact) {
  return fmt::format(
      "check: nuts itself has not converged in so few draws: R-hat {:.3f} in {}. What it says of the run is uncertain",
      exact.largest_rhat, exact.least_converged);
}

void print(const ExactComparison& exact, std::size_t most) {
  fmt::print(
      "\ncheck: against nuts, {} chains of {} draws after {} of warm-up; {}; R-hat up to {:.3f}, {}\n"
      "errors of the mean in sds of nuts, of the sd as ratio - 1; * more than {} standard errors\n\n",
      exact_chains, exact_schedule.draws, exact_schedule.warmup,
      counted(exact.info.gradient_evaluations, "gradient", "gradients"), exact.largest_rhat,
      counted(exact.info.divergences, "divergence", "divergences"), chance_limit);
  TextTable table({"<", "mean_error", "mcse", "<", "sd_error", "mcse", "<"});
  const auto mark = [](const Deviation& deviation) { return deviation.beyond_chance() ? "*" : ""; };
  const std::size_t shown = std::min(most, exact.parameters.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, mean, sd] = exact.parameters[i];
    table.add({name, number(mean.value, 3), number(mean.mcse, 2), mark(mean), number(sd.value, 3), number(sd.mcse, 2),
               mark(sd)});
  }
  fmt::print("{}", table.text());
  if (exact.parameters.size() > shown) fmt::print("… and {} more\n", exact.parameters.size() - shown);
  fmt::print("worst: {}\n", both_worst(exact));
}

void print(const SteinComparison& ksd) {
  fmt::print("\ncheck: kernel Stein discrepancy of {} draws, coordinates divided by the run's own sds\n\n", ksd.draws);
  TextTable table({"<", "ksd", "u_statistic", "se_if_independent"});
  const auto add = [&](const char* name, const SteinDiscrepancy& found) {
    table.add({name, number(found.ksd, 3), number(found.u_statistic, 3), number(found.standard_error, 2)});
  };
  add("run", ksd.run);
  if (ksd.exact) add("nuts", *ksd.exact);
  fmt::print("{}", table.text());
}

Json to_json(const Deviation& deviation) {
  return {{"value", deviation.value}, {"mcse", deviation.mcse}, {"beyond_chance", deviation.beyond_chance()}};
}

Json worst_json(const ExactComparison& exact, Part part) {
  const ParameterDeviation* parameter = worst(exact, part);
  if (!parameter) return nullptr;
  Json json{{"name", parameter->name}};
  json.update(to_json(parameter->*part));
  return json;
}

Json to_json(const ExactComparison& exact) {
  Json parameters = Json::array();
  for (const auto& [name, mean, sd] : exact.parameters) {
    parameters.push_back({{"name", name}, {"mean_error", to_json(mean)}, {"sd_error", to_json(sd)}});
  }
  return {{"sampler", exact.info.sampler},
          {"seed", exact.info.seed},
          {"chains", exact_chains},
          {"warmup", exact_schedule.warmup},
          {"draws", exact_schedule.draws},
          {"gradient_evaluations", exact.info.gradient_evaluations},
          {"divergences", exact.info.divergences},
          {"largest_rhat", exact.largest_rhat},
          {"converged", exact.converged()},
          {"beyond_chance", count_beyond_chance(exact)},
          {"worst_mean_error", worst_json(exact, &ParameterDeviation::mean)},
          {"worst_sd_error", worst_json(exact, &ParameterDeviation::sd)},
          {"parameters", parameters}};
}

Json to_json(const SteinDiscrepancy& found) {
  return {{"ksd", found.ksd}, {"u_statistic", found.u_statistic}, {"standard_error", found.standard_error}};
}

std::vector<std::string> warnings_of(const RunCheck& check) {
  std::vector<std::string> warnings;
  if (!check.exact) return warnings;
  if (!check.exact->converged()) warnings.push_back(not_converged(*check.exact));
  if (const std::ptrdiff_t count = count_beyond_chance(*check.exact); count > 0) {
    warnings.push_back(fmt::format("check: {} of {} differ from nuts by more than {} standard errors; {}", count,
                                   counted(std::ssize(check.exact->parameters), "parameter", "parameters"),
                                   chance_limit, both_worst(*check.exact)));
  }
  return warnings;
}

}  // namespace

nlohmann::ordered_json to_json(const RunCheck& check) {
  Json json;
  if (check.exact) json["exact"] = to_json(*check.exact);
  if (check.ksd) {
    json["ksd"] = {{"draws", check.ksd->draws}, {"run", to_json(check.ksd->run)}};
    if (check.ksd->exact) json["ksd"]["exact"] = to_json(*check.ksd->exact);
  }
  json["warnings"] = warnings_of(check);
  return json;
}

void print_check(const RunCheck& check, std::size_t most) {
  if (check.exact) print(*check.exact, most);
  if (check.ksd) print(*check.ksd);
}

void print_warnings(const RunCheck& check) {
  for (const std::string& warning : warnings_of(check)) warn(warning);
}

}  // namespace quasar::cli
