#include "compare/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

// "4 x 1000", "4 x 5 members x 1000"
std::string extent_of(const ComparedRun& run) {
  const Index members = run.info.members;
  const std::string chains =
      members > 1 ? fmt::format("{} x {} members", run.chains / members, members) : fmt::format("{}", run.chains);
  return fmt::format("{} x {}", chains, run.draws);
}

std::string exact_check_of(const ComparedRun& run) {
  const Json exact = run.check.is_object() ? run.check.value("exact", Json()) : Json();
  if (!exact.is_object() || !exact.contains("beyond_chance") || !exact.contains("parameters")) return "-";
  return fmt::format("{} of {} wrong", exact["beyond_chance"].dump(), exact["parameters"].size());
}

// Three digits, and whole numbers written out.
std::string rate(double value) { return value >= 100 ? count(value) : number(value, 3); }

std::string with_error(const SteinDiscrepancy& found) {
  if (std::isnan(found.u_statistic)) return "-";
  return fmt::format("{} ± {}", number(found.u_statistic, 2), number(found.standard_error, 2));
}

struct Quantity {
  std::string_view name, meaning;
  std::function<std::string(const ComparedRun&)> cell;
};

std::vector<Quantity> all_quantities() {
  return {
      {"sampler", "how the draws were made", [](const auto& run) { return run.info.sampler; }},
      {"law", "exact: the posterior; consistent: it in the limit of small steps; biased: not even there",
       [](const auto& run) { return run.law ? std::string(to_string(*run.law)) : "-"; }},
      {"chains x draws", "draws that are stored; of a run that kept moments alone, those that it made", extent_of},
      {"warm-up s", "seconds from the start to the end of warm-up, by the clock on the wall",
       [](const auto& run) { return number(run.info.warmup_seconds, 3); }},
      {"sampling s", "seconds after warm-up, by the clock on the wall, of all chains together",
       [](const auto& run) { return number(run.info.sampling_seconds, 3); }},
      {"gradients", "whole gradients after warm-up, of all chains; a minibatch of b of N rows is b / N of one",
       [](const auto& run) { return count(run.gradients); }},
      {"smallest bulk ESS", "effective draws for the mean, of the parameter that has fewest",
       [](const auto& run) { return count(run.ess_bulk.value); }},
      {"median bulk ESS", "the same, of the parameter in the middle",
       [](const auto& run) { return count(run.ess_bulk_median); }},
      {"smallest tail ESS", "effective draws for the 5 % and 95 % quantiles, of the parameter that has fewest",
       [](const auto& run) { return count(run.ess_tail.value); }},
      {"ESS/s", "smallest bulk ESS by seconds after warm-up",
       [](const auto& run) { return rate(run.ess_per_second()); }},
      {"ESS/gradient", "smallest bulk ESS by whole gradients after warm-up",
       [](const auto& run) { return number(run.ess_per_gradient(), 3); }},
      {"largest R-hat", "of the parameter whose chains agree least",
       [](const auto& run) { return std::isnan(run.rhat.value) ? "-" : fmt::format("{:.3f}", run.rhat.value); }},
      {"divergences", "after warm-up", [](const auto& run) { return std::to_string(run.info.divergences); }},
      {"KSD", "kernel Stein discrepancy from the posterior, coordinates divided by the run's own sds",
       [](const auto& run) { return number(run.ksd().ksd, 3); }},
      {"KSD u-statistic",
       "KSD squared without what independent draws of the posterior have too, and its standard error for such draws: "
       "within two of them of 0 it is noise, and KSD ranks nothing",
       [](const auto& run) { return with_error(run.ksd()); }},
      {"exact check", "parameters that --check exact found beyond 4 standard errors", exact_check_of},
  };
}

double size_of(const ComparedParameter& parameter, std::size_t run) {
  const double mean = std::abs(parameter.mean[run].in_mcse), sd = std::abs(parameter.sd[run].in_mcse);
  return std::isnan(mean) ? sd : std::isnan(sd) ? mean : std::max(mean, sd);
}

// "+4.2*"; '*': beyond what chance does.
std::string in_mcse(const Difference& difference) {
  if (std::isnan(difference.in_mcse)) return "-";
  return fmt::format("{:+.1f}{}", difference.in_mcse, difference.beyond_chance() ? "*" : " ");
}

std::string differences_text(const Comparison& comparison, std::size_t most) {
  const std::vector<PlacedDifference> places = by_size(comparison);
  const std::string reference = comparison.runs[comparison.reference].name;
  if (places.empty()) return fmt::format("\nno run has differences from {} whose error is known\n", reference);
  const std::size_t shown = std::min(most, places.size());
  std::string text =
      fmt::format("\ndifferences from {}, the largest first, and how many MCSE of both runs they are; * beyond {}\n\n",
                  reference, agreement_limit);
  TextTable table({"<parameter", "<run", "mean", "MCSE ", "sd", "MCSE "});
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedParameter& parameter = comparison.parameters[places[i].parameter];
    const std::size_t run = places[i].run;
    table.add({parameter.name, comparison.runs[run].name, number(parameter.mean[run].value, 3),
               in_mcse(parameter.mean[run]), number(parameter.sd[run].value, 3), in_mcse(parameter.sd[run])});
  }
  text += table.text();
  if (places.size() > shown) text += fmt::format("… and {} more; --json has all\n", places.size() - shown);
  return text;
}

// ---- JSON ----

// JSON has no infinity: a difference without any error is told by its mark alone.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Extreme& extreme) {
  if (std::isnan(extreme.value)) return nullptr;
  return {{"value", finite(extreme.value)}, {"parameter", extreme.parameter}};
}

Json to_json(const Difference& difference) {
  return {{"value", finite(difference.value)},
          {"mcse", finite(difference.in_mcse)},
          {"beyond_chance", difference.beyond_chance()}};
}

Json to_json(const Comparison& comparison, std::size_t place) {
  const ComparedRun& run = comparison.runs[place];
  Json json = {{"name", run.name},
               {"file", run.file.empty() ? Json(nullptr) : Json(run.file)},
               {"sampler", run.info.sampler},
               {"model", run.info.model},
               {"data", run.info.data_source.empty() ? Json(nullptr) : Json(run.info.data_source)},
               {"law", run.law ? Json(to_string(*run.law)) : Json(nullptr)},
               {"seed", run.info.seed},
               {"stopped_early", run.info.stopped_early}};
  add_extent(json, run.chains, run.draws, run.info);
  json.update({{"warmup_iterations", run.info.schedule.warmup},
               {"iterations", run.info.schedule.draws},
               {"thin", run.info.schedule.thin},
               {"gradient_evaluations", run.info.gradient_evaluations},
               {"gradients", finite(run.gradients)},
               {"warmup_seconds", run.info.warmup_seconds},
               {"sampling_seconds", run.info.sampling_seconds},
               {"ess_bulk_smallest", to_json(run.ess_bulk)},
               {"ess_bulk_median", finite(run.ess_bulk_median)},
               {"ess_tail_smallest", to_json(run.ess_tail)},
               {"rhat_largest", to_json(run.rhat)},
               {"ess_per_second", finite(run.ess_per_second())},
               {"ess_per_gradient", finite(run.ess_per_gradient())},
               {"divergences", run.info.divergences},
               {"parameters_beyond_chance", comparison.beyond_chance(place)},
               {"parameters_not_compared", comparison.not_compared(place)},
               {"ksd", finite(run.ksd().ksd)},
               {"ksd_u_statistic", finite(run.ksd().u_statistic)},
               {"ksd_standard_error", finite(run.ksd().standard_error)},
               {"check", run.check},
               {"notes", run.notes}});
  return json;
}

Json to_json(const ComparedParameter& parameter, const Comparison& comparison) {
  Json runs = Json::object();
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const ParameterEstimate& of = parameter.estimates[r];
    Json& json = runs[comparison.runs[r].name];
    json = {{"mean", finite(of.mean)},
            {"sd", finite(of.sd)},
            {"mcse_mean", finite(of.mcse_mean)},
            {"mcse_sd", finite(of.mcse_sd)},
            {"ess_bulk", finite(of.ess_bulk)},
            {"ess_tail", finite(of.ess_tail)},
            {"rhat", finite(of.rhat)}};
    if (r == comparison.reference) continue;
    json["mean_difference"] = to_json(parameter.mean[r]);
    json["sd_difference"] = to_json(parameter.sd[r]);
  }
  return {{"name", parameter.name}, {"runs", runs}};
}

}  // namespace

std::vector<QuantityRow> quantities_of(const Comparison& comparison) {
  std::vector<QuantityRow> rows;
  for (const Quantity& quantity : all_quantities()) {
    QuantityRow row{std::string(quantity.name), std::string(quantity.meaning), {}};
    for (const ComparedRun& run : comparison.runs) row.cells.push_back(quantity.cell(run));
    if (std::ranges::any_of(row.cells, [](const std::string& cell) { return cell != "-"; })) rows.push_back(row);
  }
  return rows;
}

std::vector<PlacedDifference> by_size(const Comparison& comparison) {
  std::vector<PlacedDifference> places;
  const auto size = [&](const PlacedDifference& at) { return size_of(comparison.parameters[at.parameter], at.run); };
  for (std::size_t p = 0; p < comparison.parameters.size(); ++p) {
    for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
      if (!std::isnan(size({p, r}))) places.push_back({p, r});
    }
  }
  std::ranges::stable_sort(places, std::greater<>(), size);
  return places;
}

std::string title_of(const Comparison& comparison) {
  const RunInfo& info = comparison.runs[comparison.reference].info;
  return fmt::format("{}{}: {}", info.model, info.data_source.empty() ? "" : " on " + info.data_source,
                     names_of(comparison.runs));
}

std::string text_of(const Comparison& comparison, std::size_t most_differences) {
  std::vector<std::string> headers{"<"};
  for (const ComparedRun& run : comparison.runs) headers.push_back(printable(run.name));
  TextTable table(headers);
  for (const QuantityRow& row : quantities_of(comparison)) {
    std::vector<std::string> cells{row.name};
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    table.add(cells);
  }
  std::string text = printable(title_of(comparison)) + "\n\n" + table.text();
  text += fmt::format(
      "\nof {} that all runs have{}; ESS/s is by seconds after warm-up\n",
      counted(std::ssize(comparison.parameters), "parameter", "parameters"),
      comparison.left_out.empty() ? "" : fmt::format(", and not of {} that some have not", comparison.left_out.size()));
  text += differences_text(comparison, most_differences);
  for (const ComparedRun& run : comparison.runs) {
    for (const std::string& note : run.notes) text += printable(fmt::format("{} {}", run.name, note)) + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const Comparison& comparison) {
  Json runs = Json::array(), parameters = Json::array();
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    runs.push_back(to_json(comparison, r));
  }
  for (const ComparedParameter& parameter : comparison.parameters) {
    parameters.push_back(to_json(parameter, comparison));
  }
  return {{"reference", comparison.runs[comparison.reference].name},
          {"runs", runs},
          {"parameters", parameters},
          {"left_out", comparison.left_out},
          {"warnings", comparison.warnings}};
}

}  // namespace quasar
