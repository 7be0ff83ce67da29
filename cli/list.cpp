// quasar list samplers|models|topics|problems|experiments
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>

#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "commands.hpp"
#include "front/manifolds/problems.hpp"
#include "front/registry_json.hpp"
#include "front/topic_methods.hpp"
#include "param_text.hpp"

namespace quasar::cli {
namespace {

void print_params(std::span<const ParamSpec> specs, std::string_view prefix) {
  for (const ParamSpec& spec : specs) fmt::print("    {}{}\n        {}\n", prefix, with_default(spec), spec.doc);
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
void print(const TopicMethodEntry& t) {
  fmt::print("{}  [{}{}]\n    {}\n    {}: {}\n", t.name, to_string(t.kind),
             t.count != TopicCount::fixed ? ", learns the number of topics" : "", t.doc, to_string(t.law), t.why);
  print_params(t.params(), "");
}
void print(const ProblemEntry& p) {
  fmt::print("{}  [{}]\n    {}\n", p.name, p.manifold, p.doc);
  print_params(p.params, "");
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
  CLI::App* command = app.add_subcommand(
      "list", "list samplers, models, methods of topics, problems or experiments, with their parameters");
  command
      ->add_option("kind", options->kind,
                   "samplers, models, topics (the methods that fit them), problems (on manifolds) or experiments")
      ->required()
      ->type_name("samplers|models|topics|problems|experiments");
  command->add_flag("--json", options->json, "one JSON array on standard output");
  return [options] {
    static constexpr std::string_view kinds[] = {"samplers", "models", "topics", "problems", "experiments"};
    if (options->kind == "samplers")
      show(samplers(), options->json);
    else if (options->kind == "models")
      show(models(), options->json);
    else if (options->kind == "topics")
      show(topic_methods(), options->json);
    else if (options->kind == "problems")
      show(problems(), options->json);
    else if (options->kind == "experiments")
      show(experiments(), options->json);
    else
      throw UsageError(unknown_name("list", options->kind, kinds));
    return 0;
  };
}

}  // namespace quasar::cli
