#include "interface.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace quasar::cli {
namespace {

Argument argument_of(const CLI::Option& option) {
  Argument argument;
  argument.doc = option.get_description();
  argument.required = option.get_required();
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (option.get_positional()) argument.names = {option.get_single_name()};
  if (option.get_items_expected_max() > 0) argument.value = option.get_type_name();
  argument.repeated =
      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll || option.get_items_expected_max() > 1;
  return argument;
}

}  // namespace

Interface interface_of(const CLI::App& app) {
  Interface result{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? result.arguments : result.options).push_back(argument_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) result.commands.push_back(interface_of(*command));
  return result;
}

std::string usage_of(const std::string& program, const Interface& command) {
  std::string usage = fmt::format("{} {} [OPTIONS]", program, command.name);
  for (const Argument& argument : command.arguments) {
    const std::string shown = argument.name() + (argument.repeated ? " ..." : "");
    usage += fmt::format(fmt::runtime(argument.required ? " {}" : " [{}]"), shown);
  }
  return usage;
}

}  // namespace quasar::cli
