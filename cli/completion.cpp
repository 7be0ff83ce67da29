// quasar completion: the script by which a shell asks the program what may be typed next (complete.hpp).
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "commands.hpp"
#include "completion_scripts.hpp"

namespace quasar::cli {

Command add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "write a script that lets a shell complete what is typed");
  command->add_option("shell", *shell, "the shell that you use")->required()->type_name("bash|zsh|fish");
  command->footer(
      "To try it:\n"
      "  source <(quasar completion bash)\n"
      "  quasar completion fish | source\n"
      "To keep it, put that line into ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.");
  return [shell] {
    static constexpr std::string_view shells[] = {"bash", "zsh", "fish"};
    static constexpr std::string_view scripts[] = {bash_completion, zsh_completion, fish_completion};
    const auto found = std::find(std::begin(shells), std::end(shells), *shell);
    if (found == std::end(shells)) throw UsageError(unknown_name("shell", *shell, shells));
    fmt::print("{}", scripts[found - std::begin(shells)]);
    return 0;
  };
}

}  // namespace quasar::cli
