// What the program takes, as data: its commands with their arguments and options, read off the parser's own tree. The
// manual, the reference and the completion of shells are made of it, so that they know what the program knows.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quasar::cli {

struct Argument {
  std::vector<std::string> names;  // of an option: -h, --help; of a positional argument the one that usage shows
  // What it takes, the type name that help shows; empty: nothing, it is a flag. Completion reads it:
  //   a|b|c              one of these
  //   SAMPLER, MODEL, METHOD, EXPERIMENT, and SAMPLER,... for several   a name of the registry
  //   NAME=VALUE         a parameter of the model, or of the samplers or the method of a command that has any
  //   RUN.NC             a file with that ending
  //   FILE, FOLDER       any file or folder; so is TEXT, which is what an option takes that says nothing
  //   anything else      a text that only the user knows
  std::string value;
  std::string doc;
  bool required = false, repeated = false;

  const std::string& name() const { return names.back(); }
};

struct Interface {  // of the program, or of one of its commands
  std::string name, doc, footer;
  std::vector<Argument> arguments, options;  // arguments: the positional ones
  std::vector<Interface> commands;
};

Interface interface_of(const CLI::App& app);

// quasar summary [OPTIONS] file
std::string usage_of(const std::string& program, const Interface& command);

}  // namespace quasar::cli
