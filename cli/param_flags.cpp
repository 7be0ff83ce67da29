#include "param_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <quasar/errors.hpp>

namespace quasar::cli {

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string value_of_flag(const ParamSpec& spec) {
  static const std::map<std::string_view, std::string_view> texts = {
      {"model", "MODEL"},   {"sampler", "SAMPLER"}, {"bridgestan", "PROGRAM.SO"},
      {"out", "RUN.NC"},    {"data", "FILE"},       {"held_out", "FILE"},
      {"init", "FILE"},     {"vocabulary", "FILE"}, {"stop_words", "english|none|FILE"},
      {"document", "NAME"}, {"word", "NAME"},       {"count", "NAME"},
      {"text", "NAME"}};
  if (spec.type == ParamSpec::integer) return "N";
  if (spec.type == ParamSpec::real) return "X";
  std::string choices;
  for (const Choice& choice : spec.choices) choices += fmt::format("{}{}", choices.empty() ? "" : "|", choice.value);
  if (!choices.empty()) return choices;
  return texts.contains(spec.name) ? std::string(texts.at(spec.name)) : "NAMES";
}

void add_param_flags(CLI::App& command, std::span<const ParamSpec> specs, Settings& given) {
  for (const ParamSpec& spec : specs) {
    command
        .add_option_function<std::string>(
            flag_of(spec.name),
            [&given, name = std::string(spec.name)](const std::string& text) { given[name] = text; },
            spec.init.empty() ? std::string(spec.doc) : fmt::format("{} [{}]", spec.doc, spec.init))
        ->type_name(value_of_flag(spec));
  }
}

Config config_of_flags(std::string_view command, std::span<const ParamSpec> specs, const Settings& given) {
  try {
    return {command, specs, given};
  } catch (const UsageError& error) {
    const std::string_view message = error.what();
    for (const ParamSpec& spec : specs) {
      if (message.starts_with(fmt::format("{} = ", spec.name)))
        throw UsageError(fmt::format("{}{}", flag_of(spec.name), message.substr(spec.name.size())));
    }
    throw;
  }
}

void check_output(const TableOutput& output, std::span<const std::string> inputs) {
  namespace fs = std::filesystem;
  if (!output.out) return;
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (fs::equivalent(*output.out, input, ignored)) {
      throw UsageError(fmt::format("{} is read; {} names another file", *output.out, output.flag));
    }
  }
  if (!output.overwrite && fs::exists(*output.out, ignored)) {
    throw UsageError(
        fmt::format("{} exists; --overwrite replaces it, {} names another file", *output.out, output.flag));
  }
}

bool same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  const fs::path here = place(one);  // empty: where it lies cannot be told
  return one == other || fs::equivalent(one, other, ignored) || (!here.empty() && here == place(other));
}

}  // namespace quasar::cli
