#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <quasar/errors.hpp>

#include "diagnostics/checks.hpp"
#include "diagnostics/wording.hpp"
#include "front/sampler_law.hpp"
#include "io/kept_check.hpp"

namespace quasar {
namespace {

using diagnostics::counted;
using Json = nlohmann::ordered_json;

// ---- what one run says ----

struct Estimates {
  ComparedRun run;
  std::vector<std::string> names;
  std::vector<ParameterEstimate> of;  // one per name
};

std::vector<double> errors_of_sds(const Run& run) {
  std::vector<double> errors;
  for_each_element(without_factors(run), [&](Index, const Mat& draws) { errors.push_back(mcse_sd(draws)); });
  return errors;
}

// Draws that weigh differently have a mean, but no error of it is known, nor of what else depends on the weights.
ParameterEstimate estimate(const RunSummary& summary, std::size_t i, double mcse_of_sd) {
  const Summary& row = summary.rows[i];
  ParameterEstimate of{row.mean, row.sd, row.mcse_mean, mcse_of_sd, row.ess_bulk, row.ess_tail, row.rhat};
  if (of.sd == 0) of.mcse_sd = 0;                                // as of the mean: what never moves has no error
  if (summary.keep != Keep::all) of.mcse_sd = undefined_number;  // the draws it is the error of are not stored
  if (summary.weights_vary) {
    of.mcse_mean = of.mcse_sd = of.sd = undefined_number;
    of.mean = summary.weighted_means.empty() ? undefined_number : summary.weighted_means[i];
  }
  return of;
}

std::vector<std::string> notes_on(const RunSummary& summary, const RunInfo& info) {
  std::vector<std::string> notes;
  if (info.stopped_early) notes.emplace_back("was stopped early");
  if (summary.keep == Keep::moments) {
    notes.emplace_back("has kept mean and sd and no draws: effective draws, R-hat and errors are unknown");
  } else if (summary.keep == Keep::thin) {
    notes.emplace_back(
        "has stored few of its draws: means and sds are those of all, their errors unknown, and effective draws those "
        "of the stored ones");
  }
  if (summary.weights_vary) {
    notes.emplace_back(
        "has a step size that changes, and its draws weigh as it does: means are weighted, and neither their errors "
        "nor sds are known");
  }
  if (info.members > 1) notes.emplace_back("is of ensembles, whose members count as chains");
  const auto bad = std::ranges::count_if(summary.rows, [](const Summary& row) { return !std::isfinite(row.mean); });
  if (bad > 0) {
    notes.push_back(fmt::format("has draws that are NaN or infinite, in {}", counted(bad, "parameter", "parameters")));
  }
  if (summary.draws < diagnostics::kLeastDraws && summary.keep != Keep::moments) {
    notes.push_back(
        fmt::format("has {} a chain, too few for effective draws and R-hat", counted(summary.draws, "draw", "draws")));
  } else if (summary.chains == 1) {
    notes.emplace_back("is one chain, which has no R-hat: whether it has converged is not known");
  }
  return notes;
}

Estimates estimates_of(const NamedRun& named) {
  const Run& run = named.run;
  const RunSummary summary = summarize_run(run);
  Estimates estimates{{.name = named.name, .file = named.file, .info = run.info}, summary.names, {}};
  ComparedRun& of = estimates.run;
  if (const auto law = law_of(run.info.sampler, settings_of(run.info))) of.law = law->law;
  of.chains = summary.chains;
  of.draws = summary.draws;
  of.gradients = whole_gradients(run);
  if (!run.check.empty()) of.check = Json::parse(run.check, nullptr, false);
  if (!is_check(of.check)) of.check = nullptr;
  of.notes = notes_on(summary, run.info);
  std::vector<double> errors = errors_of_sds(run);
  errors.resize(summary.names.size(), undefined_number);
  for (std::size_t i = 0; i < summary.names.size(); ++i) estimates.of.push_back(estimate(summary, i, errors[i]));
  return estimates;
}

// ---- whether they are of one posterior ----

Json table_of(const RunInfo& info, const char* table) {
  const Json configuration = Json::parse(info.configuration, nullptr, false);  // a program's own may be anything
  const bool there = configuration.is_object() && configuration.contains(table) && configuration[table].is_object();
  return there ? configuration[table] : Json::object();
}

bool without_data(const RunInfo& info) { return table_of(info, "run").value("prior_only", Json(false)) == Json(true); }

// Empty: none that is known.
std::string difference_of_posteriors(const ComparedRun& one, const ComparedRun& other) {
  const auto differ = [&](std::string_view what, const std::string& a, const std::string& b) {
    return fmt::format("{} and {} are runs of different {}: {} and {}", one.name, other.name, what, a, b);
  };
  const RunInfo &a = one.info, &b = other.info;
  if (a.model != b.model) return differ("models", a.model, b.model);
  if (a.data_hash != b.data_hash) {
    const auto source = [](const RunInfo& info) { return info.data_source.empty() ? "none" : info.data_source; };
    return differ(source(a) == source(b) ? "data, though the file's name is the same" : "data", source(a), source(b));
  }
  if (without_data(a) != without_data(b))
    return differ("densities", without_data(a) ? "prior only" : "posterior",
                  without_data(b) ? "prior only" : "posterior");
  return {};
}

// "model.parameterization (centered, noncentered)"; empty: none.
std::vector<std::string> different_settings(const ComparedRun& one, const ComparedRun& other) {
  const Json a = table_of(one.info, "model"), b = table_of(other.info, "model");
  std::vector<std::string> found;
  const auto text = [](const Json& table, const std::string& key) {
    if (!table.contains(key)) return std::string("none");
    return table[key].is_string() ? table[key].get<std::string>() : table[key].dump();
  };
  Json all = a;
  all.update(b);  // what only the second has counts too
  for (const auto& [key, value] : all.items()) {
    if (a.contains(key) && a[key] == value && b.contains(key)) continue;
    found.push_back(fmt::format("model.{} ({}, {})", key, text(a, key), text(b, key)));
  }
  return found;
}

void require_one_posterior(Comparison& comparison, bool allow_different) {
  const ComparedRun& first = comparison.runs.front();
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) {
    const ComparedRun& other = comparison.runs[i];
    const std::string difference = difference_of_posteriors(first, other);
    if (!difference.empty() && !allow_different) {
      throw UsageError(difference + "; --allow-different compares their parameters of the same name");
    }
    if (!difference.empty()) comparison.warnings.push_back(difference);
    if (first.info.model != other.info.model) continue;
    if (const auto settings = different_settings(first, other); !settings.empty()) {
      comparison.warnings.push_back(fmt::format("{} and {} differ in {}: their posteriors may differ", first.name,
                                                other.name, fmt::join(settings, ", ")));
    }
  }
}

void warn_of_unequal_threads(Comparison& comparison) {
  std::set<std::string> threads;
  for (const ComparedRun& run : comparison.runs) {
    threads.insert(table_of(run.info, "run").value("threads", Json()).dump() + " " + std::to_string(run.chains));
  }
  if (threads.size() > 1) {
    comparison.warnings.emplace_back(
        "the runs have other numbers of chains or threads: seconds, and effective draws by second, are not of equal "
        "means");
  }
}

// A discrepancy has the noise of its draws in it: E k0 / n of its square.
void warn_of_unequal_ksd(Comparison& comparison) {
  std::set<std::string> draws;
  for (const ComparedRun& run : comparison.runs) {
    if (!std::isnan(run.ksd().ksd)) draws.insert(run.check.value("/ksd/draws"_json_pointer, Json()).dump());
  }
  if (draws.size() > 1) {
    comparison.warnings.push_back(
        fmt::format("the KSD of runs is of {} draws: that of fewer draws is larger, and they cannot be compared",
                    fmt::join(draws, " and ")));
  }
}

void require_different_runs(std::span<const NamedRun> runs) {
  if (runs.size() < 2) throw UsageError("to compare takes two runs or more");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const NamedRun& earlier : runs.first(i)) {
      if (runs[i].name == earlier.name) throw UsageError(fmt::format("{} is given twice", earlier.name));
      std::error_code ignored;  // of files that are gone, or of runs in memory
      if (std::filesystem::equivalent(runs[i].file, earlier.file, ignored)) {
        throw UsageError(fmt::format("{} and {} are the same file", earlier.file, runs[i].file));
      }
    }
  }
}

// ---- which is the reference ----

template <class Matches>
std::vector<std::size_t> places_where(std::span<const ComparedRun> runs, Matches matches) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (matches(runs[i])) places.push_back(i);
  }
  return places;
}

std::size_t named_reference(std::span<const ComparedRun> runs, const std::string& wanted) {
  auto found = places_where(runs, [&](const ComparedRun& run) { return run.name == wanted || run.file == wanted; });
  if (found.empty()) found = places_where(runs, [&](const ComparedRun& run) { return run.info.sampler == wanted; });
  if (found.size() == 1) return found.front();
  throw UsageError(fmt::format("--reference {}: {} of that name; the runs are {}", wanted,
                               found.empty() ? "there is no run" : "there is more than one run", names_of(runs)));
}

std::size_t reference_among(std::span<const ComparedRun> runs, const std::string& wanted) {
  if (!wanted.empty()) return named_reference(runs, wanted);
  const auto best = std::ranges::min_element(runs, {}, [](const ComparedRun& run) { return run.doubts.size(); });
  return static_cast<std::size_t>(best - runs.begin());
}

// ---- what all runs have ----

using Places = std::unordered_map<std::string, std::size_t>;

// The parameters of the first run that all others have, and those that some do not have.
void match_parameters(std::span<const Estimates> runs, Comparison& comparison) {
  std::vector<Places> places(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < runs[r].names.size(); ++i) places[r].emplace(runs[r].names[i], i);
  }
  std::set<std::string> left_out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const std::string& name : runs[r].names) {
      const bool shared = std::ranges::all_of(places, [&](const Places& of) { return of.contains(name); });
      if (!shared && left_out.insert(name).second) comparison.left_out.push_back(name);
      if (!shared || r > 0) continue;
      ComparedParameter parameter{name, {}, {}, {}};
      for (std::size_t k = 0; k < runs.size(); ++k) parameter.estimates.push_back(runs[k].of[places[k].at(name)]);
      comparison.parameters.push_back(std::move(parameter));
    }
  }
  if (comparison.parameters.empty()) throw UsageError("the runs have no parameter in common");
}

using Measure = double ParameterEstimate::*;

std::vector<double> defined_values(const Comparison& comparison, std::size_t run, Measure measure) {
  std::vector<double> values;
  for (const ComparedParameter& parameter : comparison.parameters) {
    const double value = parameter.estimates[run].*measure;
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

// The first of the parameters at which it is the smallest, or the largest; NaN does not count.
template <class Better>
Extreme extreme(const Comparison& comparison, std::size_t run, Measure measure, Better better) {
  Extreme found;
  for (const ComparedParameter& parameter : comparison.parameters) {
    const double value = parameter.estimates[run].*measure;
    if (std::isnan(value) || (!std::isnan(found.value) && !better(value, found.value))) continue;
    found = {value, parameter.name};
  }
  return found;
}

double median(std::vector<double> values) {
  if (values.empty()) return undefined_number;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void measure_run(Comparison& comparison, std::size_t run) {
  ComparedRun& of = comparison.runs[run];
  of.ess_bulk = extreme(comparison, run, &ParameterEstimate::ess_bulk, std::less<>());
  of.ess_tail = extreme(comparison, run, &ParameterEstimate::ess_tail, std::less<>());
  of.rhat = extreme(comparison, run, &ParameterEstimate::rhat, std::greater<>());
  of.ess_bulk_median = median(defined_values(comparison, run, &ParameterEstimate::ess_bulk));
}

// ---- whether to believe it ----

// Of the model, as the diagonal of a correlation matrix is: all runs agree on it.
bool is_constant(const ComparedParameter& parameter) {
  return std::ranges::all_of(parameter.estimates, [&](const ParameterEstimate& of) {
    return of.sd == 0 && of.mean == parameter.estimates.front().mean;
  });
}

template <class Holds>
std::ptrdiff_t count_where(const Comparison& comparison, std::size_t run, Holds holds) {
  return std::ranges::count_if(comparison.parameters, [&](const ComparedParameter& parameter) {
    return !is_constant(parameter) && holds(parameter.estimates[run]);
  });
}

void note_what_never_moved(Comparison& comparison, std::size_t run) {
  const auto still = count_where(comparison, run, [](const ParameterEstimate& of) { return of.sd == 0; });
  if (still == 0) return;
  comparison.runs[run].notes.push_back(fmt::format("never moved in {}", counted(still, "parameter", "parameters")));
}

std::vector<std::string> doubts_about(const Comparison& comparison, std::size_t run) {
  const ComparedRun& of = comparison.runs[run];
  std::vector<std::string> doubts;
  if (!of.law) doubts.emplace_back("what it samples is not known");
  if (of.law && *of.law != Law::exact) doubts.push_back(fmt::format("{} is {}", of.info.sampler, to_string(*of.law)));
  const auto unknown = count_where(comparison, run, [](const ParameterEstimate& estimate) {
    return std::isnan(estimate.rhat) || !std::isfinite(estimate.mean);
  });
  if (std::isnan(of.rhat.value)) {
    doubts.emplace_back("it has no R-hat");
  } else if (unknown > 0) {
    doubts.push_back(fmt::format("it has no R-hat in {} of {}", unknown,
                                 counted(std::ssize(comparison.parameters), "parameter", "parameters")));
  }
  if (of.rhat.value > diagnostics::kRhatLimit) {
    doubts.push_back(fmt::format("its R-hat is {:.3f} in {}", of.rhat.value, of.rhat.parameter));
  }
  if (of.info.divergences > 0) {
    doubts.push_back(fmt::format("it has {}", counted(of.info.divergences, "divergence", "divergences")));
  }
  if (of.info.stopped_early) doubts.emplace_back("it was stopped early");
  return doubts;
}

// ---- how far they differ ----

Difference difference(double value, double reference, double mcse, double mcse_of_reference) {
  const double by = value - reference, error = std::hypot(mcse, mcse_of_reference);
  return {by, by == 0 && error == 0 ? 0 : by / error};  // constants that are equal agree
}

void measure_differences(Comparison& comparison) {
  for (ComparedParameter& parameter : comparison.parameters) {
    const ParameterEstimate& of = parameter.estimates[comparison.reference];
    for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
      const ParameterEstimate& run = parameter.estimates[r];
      const bool itself = r == comparison.reference;
      parameter.mean.push_back(itself ? Difference{} : difference(run.mean, of.mean, run.mcse_mean, of.mcse_mean));
      parameter.sd.push_back(itself ? Difference{} : difference(run.sd, of.sd, run.mcse_sd, of.mcse_sd));
    }
  }
}

void warn_of_reference(Comparison& comparison) {
  const ComparedRun& reference = comparison.runs[comparison.reference];
  if (reference.doubts.empty()) return;
  comparison.warnings.push_back(
      fmt::format("the reference {} is no sure one: {}. Differences say that runs disagree, not which is right",
                  reference.name, fmt::join(reference.doubts, ", ")));
}

void warn_of_differences(Comparison& comparison) {
  const std::string all = counted(std::ssize(comparison.parameters), "parameter", "parameters");
  const std::string& reference = comparison.runs[comparison.reference].name;
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const std::string& run = comparison.runs[r].name;
    if (const std::ptrdiff_t count = comparison.not_compared(r); count > 0) {
      comparison.warnings.push_back(
          fmt::format("{}: {} of {} could not be compared with {}: the error of mean or sd is not known", run, count,
                      all, reference));
    }
    if (const std::ptrdiff_t count = comparison.beyond_chance(r); count > 0) {
      comparison.warnings.push_back(fmt::format("{}: {} of {} differ from {} by more than {} MCSE in mean or sd", run,
                                                count, all, reference, agreement_limit));
    }
  }
}

}  // namespace

bool Difference::beyond_chance() const { return std::abs(in_mcse) > agreement_limit; }

double ComparedRun::ess_per_second() const { return ess_bulk.value / info.sampling_seconds; }

double ComparedRun::ess_per_gradient() const { return gradients > 0 ? ess_bulk.value / gradients : undefined_number; }

SteinDiscrepancy ComparedRun::ksd() const {
  const Json found = check.is_object() ? check.value("/ksd/run"_json_pointer, Json()) : Json();
  const auto at = [&](const char* part) {
    const Json number = found.is_object() ? found.value(part, Json()) : Json();
    return number.is_number() ? number.get<double>() : undefined_number;
  };
  return {at("ksd"), at("u_statistic"), at("standard_error")};
}

std::ptrdiff_t Comparison::beyond_chance(std::size_t run) const {
  return std::ranges::count_if(parameters, [run](const ComparedParameter& parameter) {
    return parameter.mean[run].beyond_chance() || parameter.sd[run].beyond_chance();
  });
}

std::ptrdiff_t Comparison::not_compared(std::size_t run) const {
  if (run == reference) return 0;
  return std::ranges::count_if(parameters, [run](const ComparedParameter& parameter) {
    return std::isnan(parameter.mean[run].in_mcse) || std::isnan(parameter.sd[run].in_mcse);
  });
}

bool Comparison::all_agree() const {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (beyond_chance(r) > 0 || not_compared(r) > 0) return false;
  }
  return true;
}

Comparison compare_runs(std::span<const NamedRun> runs, const ComparisonOptions& options) {
  require_different_runs(runs);
  Comparison comparison;
  std::vector<Estimates> all;
  for (const NamedRun& run : runs) {
    comparison.runs.push_back({.name = run.name, .file = run.file, .info = run.run.info});
  }
  require_one_posterior(comparison, options.allow_different);  // before the long work
  for (std::size_t r = 0; r < runs.size(); ++r) {
    all.push_back(estimates_of(runs[r]));
    comparison.runs[r] = all.back().run;
  }
  match_parameters(all, comparison);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    measure_run(comparison, r);
    note_what_never_moved(comparison, r);
    comparison.runs[r].doubts = doubts_about(comparison, r);
  }
  comparison.reference = reference_among(comparison.runs, options.reference);
  measure_differences(comparison);
  warn_of_unequal_threads(comparison);
  warn_of_unequal_ksd(comparison);
  warn_of_reference(comparison);
  warn_of_differences(comparison);
  return comparison;
}

std::string names_of(std::span<const ComparedRun> runs) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) names.push_back(run.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> names_of_files(std::span<const std::string> files) {
  std::vector<std::string> stems;
  for (const std::string& file : files) stems.push_back(std::filesystem::path(file).stem().string());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    names.push_back(std::ranges::count(stems, stems[i]) == 1 ? stems[i] : files[i]);
  }
  return names;
}

double whole_gradients(const Run& run) {
  Mat spent = statistic(run, "data_passes");
  if (spent.size() == 0) spent = statistic(run, "gradient_evaluations");
  if (spent.size() == 0) return undefined_number;
  const Schedule& schedule = run.info.schedule;
  const double stored = static_cast<double>(run.draws());
  const double made = run.info.stopped_early ? stored * static_cast<double>(schedule.thin * run.info.stored_every)
                                             : static_cast<double>(schedule.draws);
  return spent.sum() * (made / stored);
}

}  // namespace quasar
