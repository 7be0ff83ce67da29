// quasar: parse, run one command, turn errors into one line and an exit code.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "commands.hpp"
#include "complete.hpp"
#include "core/together.hpp"
#include "interface.hpp"
#include "io/printable.hpp"
#include "mpi/world.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

enum Exit { done = 0, wrong_usage = 2, bad_data = 3, run_failed = 4 };

// Messages quote what people typed and what files hold: whatever that is, one line of a length that can be read, with
// the place at its beginning and the cause at its end.
std::string one_line(std::string message) {
  constexpr std::size_t most = 1000, end = 300;
  if (message.size() > most) message = message.substr(0, most - end) + " ... " + message.substr(message.size() - end);
  return printable(std::move(message));
}

int fail(int code, const std::string& message) {
  note("quasar: {}\n", one_line(message));
  return code;
}

// The exit code of the error that is being handled, and a line on it.
int explain_error(const std::string& who) {
  constexpr const char* output_failed = "cannot write to standard output";
  try {
    throw;
  } catch (const UsageError& error) {
    return fail(wrong_usage, who + error.what());
  } catch (const DataError& error) {
    return fail(bad_data, who + error.what());
  } catch (const RunError& error) {
    return fail(run_failed, who + error.what());
  } catch (const std::system_error& error) {  // fmt's word for a failed write, of a text longer than the buffer
    return fail(bad_data, std::ferror(stdout) != 0 ? output_failed : who + error.what());
  } catch (const std::bad_alloc&) {
    return fail(
        run_failed,
        who + "out of memory: a smaller model, a diagonal metric, fewer draws, --thin or --variables need less");
  } catch (const std::exception& error) {
    return fail(run_failed, who + error.what());
  }
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string unknown(std::string_view kind, const std::string& name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return unknown_name(kind, name, views);
}

// The command that was typed: the program itself, one of its commands, or one below such a one.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

// "topics fit"; nothing of the program itself.
std::string name_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string above = name_of(*command.get_parent());
  return above.empty() ? command.get_name() : fmt::format("{} {}", above, command.get_name());
}

// CLI11 names what it did not expect but not what was near; this looks it up.
std::string explain_extra(const CLI::App& command, const std::string& extra) {
  const std::string name = name_of(command), of_command = name.empty() ? "" : " of " + name;
  if (extra.starts_with('-')) {
    return unknown("option" + of_command, extra.substr(0, extra.find('=')), option_names(command));
  }
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty()) return unknown("command" + of_command, extra, commands);
  return fmt::format("{} takes no further argument '{}'", name, extra);
}

std::string first_extra(const CLI::App& command) {
  const auto extras = command.remaining(true);
  return extras.empty() ? std::string() : extras.front();
}

// CLI11's messages begin with the name of the option; what it says of it is better said from the option itself.
const CLI::Option* option_in(const CLI::App& command, std::string_view message) {
  const std::string_view name = message.substr(0, message.find_first_of(": "));
  for (const CLI::Option* option : command.get_options()) {
    if (option->check_name(std::string(name)) || option->check_name("--" + std::string(name))) return option;
  }
  return nullptr;
}

std::string explain_option(const CLI::App& command, const CLI::Option& option) {
  const std::string name = option.get_name();
  if (option.get_positional()) {
    return fmt::format("{} needs an argument: {}, {}", name_of(command), name, option.get_description());
  }
  if (option.count() > 1) return fmt::format("{} is given more than once", name);
  return fmt::format("{} {}", name, option.get_items_expected_min() > 0 ? "needs a value" : "takes no value");
}

std::string explain(const CLI::App& command, const CLI::ParseError& error) {
  const CLI::Option* option = option_in(command, error.what());
  const bool about_counts = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
                            dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  return option && about_counts ? explain_option(command, *option) : error.what();
}

int parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help
  const CLI::App& command = chosen_command(app);
  const std::string extra = first_extra(command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extra.empty())
    return fail(wrong_usage, explain_extra(command, extra));
  return fail(wrong_usage, explain(command, error));
}

// CLI11 would take --json=false, and tell its own story of --json=no.
void refuse_values_of_flags(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    refuse_values_of_flags(*command);
    for (CLI::Option* option : command->get_options({})) {
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
    }
  }
}

std::string overview() {
  std::string codes;
  for (const ExitCode& code : exit_codes) {
    codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", code.number, code.meaning);
  }
  return fmt::format("quasar COMMAND --help tells more. Exit codes: {}.", codes);
}

int run(int argc, char** argv, World& world) {
  silent = !world.leads();
  CLI::App app("Quasar: Bayesian inference that uses curvature, minibatches and many machines.", "quasar");
  app.set_help_flag("-h,--help", "print this help and stop");
  app.set_version_flag("--version", "quasar " QUASAR_VERSION, "print the version and stop");
  std::map<std::string, Command> commands;
  commands["sample"] = add_sample(app, world);
  commands["optimize"] = add_optimize(app);
  commands["summary"] = add_summary(app);
  commands["diagnose"] = add_diagnose(app);
  commands["compare"] = add_compare(app);
  commands["predict"] = add_predict(app);
  commands["recommend"] = add_recommend(app);
  commands["segment"] = add_segment(app);
  commands["topics"] = add_topics(app);
  commands["denoise"] = add_denoise(app);
  commands["convert"] = add_convert(app);
  commands["pack"] = add_pack(app);
  commands["list"] = add_list(app);
  commands["report"] = add_report(app);
  commands["reproduce"] = add_reproduce(app);
  commands["manual"] = add_manual(app);
  commands["completion"] = add_completion(app);
  commands["version"] = add_version(app);
  app.footer(overview());  // after the commands, which would take it for their own
  refuse_values_of_flags(app);
  if (argc > 1 && argv[1] == completion_request) {
    print_completions(interface_of(app), {argv + 2, argv + argc});
    return done;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return world.leads() ? parse_error(app, error) : done;
  }
  const auto chosen = app.get_subcommands();
  const bool for_many = !chosen.empty() && chosen.front()->get_name() == "sample";
  if (!for_many && !world.leads()) return done;
  if (chosen.empty()) {
    fmt::print("{}", app.help());
    return argc == 1 ? done : wrong_usage;
  }
  const std::string& name = chosen.front()->get_name();
  if (!for_many && world.size() > 1) {
    note(
        "quasar: {} processes were started, and {} needs one: this one does it, the others have left; QUASAR_MPI=off "
        "in the environment makes each do its own\n",
        world.size(), name);
  }
  return commands.at(name)();
}

// Handles an error. Rank 0 tells what all ranks fail at; what one of the others meets alone it tells itself, with its
// name. Where ranks may wait for this one, as they may unless all know of the error, the job is ended for all.
int fail_as_rank(World& world) {
  Exchange* ranks = world.exchange();
  const bool broken = ranks && ranks->size() > 1 && !ranks->failed_together;
  if (broken) ranks->broken = true;
  if (world.leads()) {
    const int code = explain_error("");
    if (broken && !world.all_gave_up()) world.abort(code);
    return code;
  }
  if (broken ? world.all_gave_up() : !world.exchange()) return done;
  silent = false;
  const int code = explain_error(fmt::format("rank {}: ", world.rank()));
  if (broken) world.abort(code);
  return code;
}

int run_and_report(int argc, char** argv) {
  World world;
  int code = done;
  try {
    code = run(argc, argv, world);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) code = fail(bad_data, "cannot write to standard output");
  } catch (const FailedElsewhere&) {
  } catch (const std::exception&) {
    code = fail_as_rank(world);
  }
  world.close();
  return code;
}

}  // namespace

Command add_version(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_subcommand("version", "print the version")->add_flag("--json", *json, "one JSON object on standard output");
  return [json] {
    fmt::print(fmt::runtime(*json ? "{{\"version\": \"{}\"}}\n" : "quasar {}\n"), QUASAR_VERSION);
    return 0;
  };
}

}  // namespace quasar::cli

int main(int argc, char** argv) { return quasar::cli::run_and_report(argc, argv); }
