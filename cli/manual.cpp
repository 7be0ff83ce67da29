// quasar manual: all that the program knows of itself, as a page for man or for the documentation.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <sstream>

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "commands.hpp"
#include "front/topic_methods.hpp"
#include "interface.hpp"
#include "page.hpp"
#include "param_text.hpp"

namespace quasar::cli {
namespace {

// What help shows below a command: lines that begin with blanks are to be typed, the others to be read.
void write_footer(Page& page, const std::string& footer) {
  std::istringstream lines(footer);
  std::string block, line;
  bool typed = false;
  const auto flush = [&] {
    if (!block.empty()) typed ? page.code(block) : page.paragraph(block);
    block.clear();
  };
  while (std::getline(lines, line)) {
    if (line.empty() || line.starts_with("  ") != typed) flush();
    typed = line.starts_with("  ");
    block += fmt::format("{}{}", block.empty() ? "" : "\n", typed ? line.substr(2) : line);
  }
  flush();
}

std::string term_of(const Argument& argument) {
  return fmt::format("{}{}{}", fmt::join(argument.names, ", "), argument.value.empty() ? "" : " ", argument.value);
}

void write_arguments(Page& page, std::span<const Argument> arguments) {
  for (const Argument& argument : arguments) page.entry(term_of(argument), argument.doc);
}

void write_command(Page& page, const std::string& program, const Interface& command) {
  const std::string name = fmt::format("{} {}", program, command.name);
  if (!command.commands.empty()) {
    for (const Interface& one : command.commands) write_command(page, name, one);
    return;
  }
  page.subsection(name);
  page.paragraph(command.doc);
  page.code(usage_of(program, command));
  write_arguments(page, command.arguments);
  write_arguments(page, command.options);
  write_footer(page, command.footer);
}

void write_parameters(Page& page, std::string_view prefix, std::span<const ParamSpec> specs) {
  for (const ParamSpec& spec : specs) {
    page.entry(fmt::format("{}{}", prefix, with_default(spec)), spec.doc);
  }
}

void write_samplers(Page& page) {
  page.section("Samplers");
  page.paragraph(
      "A name for --sampler, and the parameters that --set NAME=VALUE takes with it, their defaults and what is "
      "allowed.");
  for (const SamplerEntry& sampler : samplers()) {
    page.subsection(sampler.name);
    page.paragraph(fmt::format("{}{}. {}: {}.", sampler.doc, sampler.stochastic ? ", on minibatches" : "",
                               to_string(sampler.law), sampler.why));
    page.see(fmt::format("samplers/{}.md", sampler.name));
    write_parameters(page, "", sampler.params);
  }
}

void write_models(Page& page) {
  page.section("Models");
  page.paragraph("A name for --model, and the parameters that --set model.NAME=VALUE takes with it.");
  for (const ModelEntry& model : models()) {
    page.subsection(model.name);
    page.paragraph(fmt::format("{}{}.", model.doc, model.needs_data ? "; needs --data" : ""));
    page.see(fmt::format("models/{}.md", model.name));
    write_parameters(page, "model.", model.params);
  }
}

void write_topic_methods(Page& page) {
  page.section("Methods of topics");
  page.paragraph("A name for quasar topics fit --method, and the parameters that --set NAME=VALUE takes with it.");
  for (const TopicMethodEntry& method : topic_methods()) {
    page.subsection(method.name);
    page.paragraph(fmt::format("{}. {}: {}.", method.doc, to_string(method.law), method.why));
    write_parameters(page, "", method.params());
  }
}

void write_experiments(Page& page) {
  page.section("Experiments");
  page.paragraph("A name for quasar reproduce.");
  for (const ExperimentEntry& experiment : experiments()) {
    page.entry(experiment.name, fmt::format("{}. {}.", experiment.doc, experiment.paper));
  }
}

void write_surroundings(Page& page) {
  page.section("Exit status");
  for (const ExitCode& code : exit_codes) page.entry(fmt::format("{}", code.number), code.meaning);
  page.section("Environment");
  page.entry("QUASAR_MPI", "off: processes that mpirun has started know nothing of each other");
  page.section("Files");
  page.entry("run.nc", "a run: its draws, statistics, settings and what is known of its data (netCDF, ArviZ schema)");
  page.entry("topics.nc", "topics that quasar topics fit has found, with all that new documents need (netCDF)");
  page.entry("run.nc.part",
             "the folder of a run that goes on or was stopped; sample --resume goes on with it, and topics fit "
             "--resume with topics.nc.part");
}

void write_manual(Page& page, const Interface& program) {
  page.title(program.name, QUASAR_VERSION, "Bayesian inference that uses curvature, minibatches and many machines");
  page.section("Synopsis");
  page.code(fmt::format("{0} COMMAND [OPTIONS] ...\n{0} COMMAND --help", program.name));
  page.section("Options");
  write_arguments(page, program.options);
  write_footer(page, program.footer);
  page.section("Commands");
  for (const Interface& command : program.commands) write_command(page, program.name, command);
  write_samplers(page);
  write_models(page);
  write_topic_methods(page);
  write_experiments(page);
  write_surroundings(page);
}

}  // namespace

Command add_manual(CLI::App& app) {
  auto format = std::make_shared<std::string>("man");
  CLI::App* command = app.add_subcommand("manual", "write the manual: every command, option, sampler and model");
  command->add_option("--format", *format, "for man, or as the documentation has it [man]")->type_name("man|markdown");
  command->footer(
      "To read it:\n  quasar manual | man -l -\nTo keep it:\n  quasar manual > ~/.local/share/man/man1/quasar.1");
  return [format, &app] {
    static constexpr std::string_view formats[] = {"man", "markdown"};
    if (*format != formats[0] && *format != formats[1]) throw UsageError(unknown_name("format", *format, formats));
    const auto page = *format == "man" ? roff_page() : markdown_page();
    write_manual(*page, interface_of(app));
    fmt::print("{}", page->text());
    return 0;
  };
}

}  // namespace quasar::cli
