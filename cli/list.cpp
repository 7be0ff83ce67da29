// quasar list samplers|models|experiments
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "commands.hpp"
#include "front/registry_json.hpp"

namespace quasar::cli {
namespace {

// "warmup | ensemble | printed [biased]"
std::string allowed_choices(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    text += fmt::format("{}{}", text.empty() ? "" : " | ", choice.value);
    if (choice.law) {
      const std::string unless = choice.unless.empty() ? "" : fmt::format(" unless {}", choice.unless);
      text += fmt::format(" [{}{}]", to_string(*choice.law), unless);
    }
  }
  return text;
}

std::string allowed_range(const ParamSpec& spec) {
  const bool low = std::isfinite(spec.min), high = std::isfinite(spec.max);
  const char* at_least = spec.exclusive_min ? ">" : ">=";
  if (low && high) return fmt::format("{} {}, <= {}", at_least, spec.min, spec.max);
  if (low) return fmt::format("{} {}", at_least, spec.min);
  return high ? fmt::format("<= {}", spec.max) : std::string();
}

std::string allowed(const ParamSpec& spec) {
  if (!spec.choices.empty()) return allowed_choices(spec.choices);
  const std::string range = spec.type == ParamSpec::boolean ? "true | false" : allowed_range(spec);
  return spec.changed_law ? fmt::format("{} [{} unless {}]", range, to_string(*spec.changed_law), spec.init) : range;
}

void print_params(std::span<const ParamSpec> specs, std::string_view prefix) {
  for (const ParamSpec& spec : specs) {
    const std::string range = allowed(spec);
    fmt::print("    {}{} = {}{}\n        {}\n", prefix, spec.name, spec.init.empty() ? "\"\"" : spec.init,
               range.empty() ? "" : "  (" + range + ")", spec.doc);
  }
}

void print(const SamplerEntry& s) {
  fmt::print("{}  [{}{}]\n    {}\n    {}: {}\n", s.name, s.family, s.stochastic ? ", stochastic gradients" : "", s.doc,
             to_string(s.law), s.why);
  print_params(s.params, "");
}
void print(const ModelEntry& m) {
  fmt::print("{}  [{}{}]\n    {}\n", m.name, m.family, m.needs_data ? ", needs --data" : "", m.doc);
  print_params(m.params, "model.");
}
void print(const ExperimentEntry& e) { fmt::print("{}\n    {}\n    {}\n", e.name, e.doc, e.paper); }

template <class Entry>
void show(std::span<const Entry> entries, bool as_json) {
  if (!as_json) {
    for (const Entry& entry : entries) print(entry);
    return;
  }
  fmt::print("{}\n", to_json(entries).dump(2));
}

}  // namespace

Command add_list(CLI::App& app) {
  struct Options {
    std::string kind;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "list samplers, models or experiments with their parameters");
  command->add_option("kind", options->kind, "samplers, models or experiments")->required();
  command->add_flag("--json", options->json, "one JSON array on standard output");
  return [options] {
    static constexpr std::string_view kinds[] = {"samplers", "models", "experiments"};
    if (options->kind == "samplers")
      show(samplers(), options->json);
    else if (options->kind == "models")
      show(models(), options->json);
    else if (options->kind == "experiments")
      show(experiments(), options->json);
    else
      throw UsageError(unknown_name("list", options->kind, kinds));
    return 0;
  };
}

}  // namespace quasar::cli
