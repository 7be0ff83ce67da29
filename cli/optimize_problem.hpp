// quasar optimize --problem: what is solved on a manifold.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "front/run_settings.hpp"

namespace quasar::cli {

struct ProblemFlags {
  std::string problem, onto;
  std::optional<std::string> out;
  bool overwrite = false, json = false;

  void add_to(CLI::App& command);
  bool any_given() const { return !onto.empty() || out || overwrite; }
};

int solve_problem(const ProblemFlags& flags, const GivenSettings& given);  // the exit code

}  // namespace quasar::cli
