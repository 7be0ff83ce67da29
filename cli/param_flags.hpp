// What commands that read a run and write a table share: flags by their specification, and where the table goes.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <quasar/config.hpp>

namespace quasar::cli {

std::string flag_of(std::string_view name);        // --rank-by of rank_by
std::string value_of_flag(const ParamSpec& spec);  // what it takes, as interface.hpp says

// A flag for each; what is typed goes to `given`, which must stay where it is.
void add_param_flags(CLI::App& command, std::span<const ParamSpec> specs, Settings& given);

// The parameters that were given by flags; messages call them so.
Config config_of_flags(std::string_view command, std::span<const ParamSpec> specs, const Settings& given);

struct TableOutput {
  std::optional<std::string> out;  // none: standard output
  bool overwrite = false;
  std::string_view flag = "--out";  // which names it
};

// UsageError: the file exists and may not be replaced, or is one of those that are read.
void check_output(const TableOutput& output, std::span<const std::string> inputs);

bool same_file(const std::string& one, const std::string& other);  // by any names; neither need be there

}  // namespace quasar::cli
