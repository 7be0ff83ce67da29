#include "complete.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>

#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "front/run_settings.hpp"
#include "front/topic_settings.hpp"
#include "io/toml_config.hpp"

namespace quasar::cli {
namespace {

struct Candidate {
  std::string word;
  std::string_view doc = {};
};

struct Answer {
  std::string how = "words";
  std::vector<Candidate> candidates = {};
};

// What stands before the word that is to be completed.
struct Typed {
  std::vector<std::pair<const Argument*, std::string>> options;  // and their values
  std::vector<std::string> arguments;
  const Argument* awaiting = nullptr;  // the option whose value comes next
};

bool has_option(const Typed& typed, const Argument& option) {
  return std::any_of(typed.options.begin(), typed.options.end(), [&](const auto& t) { return t.first == &option; });
}

const Argument* find_option(const Interface& command, std::string_view name) {
  const auto has_name = [&](const Argument& option) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  };
  const auto it = std::find_if(command.options.begin(), command.options.end(), has_name);
  return it == command.options.end() ? nullptr : &*it;
}

void read_option(Typed& typed, const Interface& command, const std::string& word) {
  const std::size_t equals = word.find('=');
  const Argument* option = find_option(command, word.substr(0, equals));
  if (!option) return;
  if (equals == std::string::npos && !option->value.empty()) {
    typed.awaiting = option;
  } else {
    typed.options.emplace_back(option, equals == std::string::npos ? "" : word.substr(equals + 1));
  }
}

Typed read(const Interface& command, std::span<const std::string> words) {
  Typed typed;
  for (const std::string& word : words) {
    if (typed.awaiting) {
      typed.options.emplace_back(std::exchange(typed.awaiting, nullptr), word);
    } else if (word.starts_with('-')) {
      read_option(typed, command, word);
    } else {
      typed.arguments.push_back(word);
    }
  }
  return typed;
}

std::string from_configuration(const std::string& file, const std::string& key) {
  try {
    if (!file.ends_with(".toml") || !std::filesystem::is_regular_file(file)) return {};
    const TomlConfig configuration = read_toml(file);
    const Settings& run = configuration.tables.at("run");
    return run.contains(key) ? run.at(key) : std::string();
  } catch (const std::exception&) {  // the command itself will tell
    return {};
  }
}

// The model or sampler of the command, as it will find it: by a flag, in its configuration file, or by default.
std::string chosen(const Typed& typed, const std::string& key) {
  for (const auto& [option, value] : typed.options) {
    if (option->name() == "--" + key) return value;
  }
  for (const std::string& file : typed.arguments) {
    std::string name = from_configuration(file, key);
    if (!name.empty()) return name;
  }
  for (const ParamSpec& spec : run_keys(Task::sample)) {
    if (spec.name == key) return std::string(spec.init);
  }
  for (const ParamSpec& spec : topic_fit_params()) {
    if (spec.name == key) return std::string(spec.init);
  }
  return {};
}

template <class Entry>
std::vector<Candidate> names_of(std::span<const Entry> entries) {
  std::vector<Candidate> names;
  for (const Entry& entry : entries) names.push_back({std::string(entry.name), entry.doc});
  return names;
}

using Parameters = std::vector<std::pair<std::string, const ParamSpec*>>;  // by the names that --set takes

template <class Entry>
std::span<const ParamSpec> parameters_of_entry(const Entry& entry) {
  if constexpr (std::is_same_v<Entry, TopicMethodEntry>) {
    return entry.params();
  } else {
    return entry.params;
  }
}

template <class Entry>
void add_parameters(Parameters& parameters, std::string_view prefix, std::span<const Entry> entries,
                    std::string_view owner) {
  for (const Entry& entry : entries) {
    if (entry.name != owner) continue;
    for (const ParamSpec& spec : parameters_of_entry(entry)) {
      parameters.emplace_back(fmt::format("{}{}", prefix, spec.name), &spec);
    }
  }
}

// With several samplers, those of one are written nuts.max_depth.
Parameters parameters_of(const Interface& command, const Typed& typed) {
  Parameters parameters;
  if (find_option(command, "--sampler")) add_parameters(parameters, "", samplers(), chosen(typed, "sampler"));
  std::istringstream several(chosen(typed, "samplers"));
  for (std::string name; std::getline(several, name, ',');) {
    add_parameters(parameters, name + ".", samplers(), name);
  }
  const Argument* method = find_option(command, "--method");
  if (method && method->value == "METHOD") add_parameters(parameters, "", topic_methods(), chosen(typed, "method"));
  add_parameters(parameters, "model.", models(), chosen(typed, "model"));
  return parameters;
}

std::vector<std::string> values_of(const ParamSpec& spec) {
  std::vector<std::string> values;
  for (const Choice& choice : spec.choices) values.emplace_back(choice.value);
  if (values.empty() && spec.type == ParamSpec::boolean) values = {"true", "false"};
  return values;
}

// name= first, then name=value.
Answer settings(const Parameters& parameters, const Typed& typed, std::string_view part) {
  const std::size_t equals = part.find('=');
  const bool is_set = equals != std::string_view::npos;
  Answer answer{is_set ? "words" : "parts"};
  for (const auto& [name, spec] : parameters) {
    const std::string key = name + "=";
    const bool is_given = std::any_of(typed.options.begin(), typed.options.end(),
                                      [&](const auto& option) { return option.second.starts_with(key); });
    if (!is_set && !is_given) answer.candidates.push_back({key, spec->doc});
    if (!is_set || part.substr(0, equals) != name) continue;
    for (const std::string& value : values_of(*spec)) answer.candidates.push_back({key + value});
  }
  return answer;
}

// Names between commas, of which those that stand there are not offered again.
Answer list_of(const std::vector<Candidate>& names, std::string_view part) {
  const std::string before(part.substr(0, part.rfind(',') + 1));
  Answer answer{"parts"};
  for (const Candidate& name : names) {
    if ((',' + before).find(',' + name.word + ',') == std::string::npos) {
      answer.candidates.push_back({before + name.word, name.doc});
    }
  }
  return answer;
}

Answer choices(std::string_view value) {
  Answer answer;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    answer.candidates.push_back({std::string(value.substr(begin, end - begin))});
    begin = end + 1;
  }
  return answer;
}

// RUN.NC: files that end in .nc.
Answer files(std::string_view value) {
  const std::size_t dot = value.rfind('.');
  if (dot == std::string_view::npos) return {"files"};
  std::string ending(value.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return {"files " + ending};
}

// What an argument may be, of which `part` is typed; see interface.hpp.
Answer values(const Argument& argument, const Interface& command, const Typed& typed, std::string_view part) {
  const std::string_view value = argument.value;
  if (value == "SAMPLER") return {"words", names_of(samplers())};
  if (value == "SAMPLER,...") return list_of(names_of(samplers()), part);
  if (value == "MODEL") return {"words", names_of(models())};
  if (value == "METHOD") return {"words", names_of(topic_methods())};
  if (value == "EXPERIMENT") return {"words", names_of(experiments())};
  if (value == "NAME=VALUE") return settings(parameters_of(command, typed), typed, part);
  if (value.find('|') != std::string_view::npos) return choices(value);
  if (value == "FOLDER") return {"folders"};
  if (value == "FILE" || value == "TEXT" || value.find('.') != std::string_view::npos) return files(value);
  return {};
}

Answer options(const Interface& command, const Typed& typed) {
  Answer answer;
  for (const Argument& option : command.options) {
    if (option.repeated || !has_option(typed, option)) answer.candidates.push_back({option.name(), option.doc});
  }
  return answer;
}

Answer complete_command(const Interface& command, std::span<const std::string> before, const std::string& word) {
  const Typed typed = read(command, before);
  if (typed.awaiting) return values(*typed.awaiting, command, typed, word);
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != std::string::npos) {
    const std::string prefix = word.substr(0, equals + 1);
    const Argument* option = find_option(command, word.substr(0, equals));
    Answer answer = option ? values(*option, command, typed, word.substr(equals + 1)) : Answer();
    for (Candidate& candidate : answer.candidates) candidate.word.insert(0, prefix);
    return answer;
  }
  const auto& arguments = command.arguments;
  const bool more = typed.arguments.size() < arguments.size() || (!arguments.empty() && arguments.back().repeated);
  if (word.starts_with('-') || !more) return options(command, typed);
  return values(arguments[std::min(typed.arguments.size(), arguments.size() - 1)], command, typed, word);
}

Answer complete(const Interface& program, std::span<const std::string> words) {
  if (words.size() == 1 && words[0].starts_with('-')) return options(program, {});
  Answer answer;
  for (const Interface& command : program.commands) {
    if (words.size() < 2) {
      answer.candidates.push_back({command.name, command.doc});
    } else if (command.name == words[0] && !command.commands.empty()) {
      return complete(command, words.subspan(1));
    } else if (command.name == words[0]) {
      return complete_command(command, words.subspan(1, words.size() - 2), words.back());
    }
  }
  return answer;
}

}  // namespace

void print_completions(const Interface& program, const std::vector<std::string>& words) {
  const Answer answer = complete(program, words);
  const std::string typed = words.empty() ? "" : words.back();
  fmt::print("{}\n", answer.how);
  for (const Candidate& candidate : answer.candidates) {
    if (candidate.word.starts_with(typed)) fmt::print("{}\t{}\n", candidate.word, candidate.doc);
  }
}

}  // namespace quasar::cli
