// The commands of the command line. Each adds itself to the application; what it returns is run after parsing.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>

namespace quasar {
class World;
}

namespace quasar::cli {

inline constexpr int interrupted = 130;

struct ExitCode {
  int number;
  std::string_view meaning;
};
inline constexpr ExitCode exit_codes[] = {
    {0, "done"}, {2, "wrong usage"}, {3, "bad data or file"}, {4, "the run failed"}, {interrupted, "interrupted"}};

using Command = std::function<int()>;  // the exit code; errors are thrown

Command add_sample(CLI::App& app, World& world);
Command add_optimize(CLI::App& app);
Command add_summary(CLI::App& app);
Command add_diagnose(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_pack(CLI::App& app);
Command add_predict(CLI::App& app);
Command add_recommend(CLI::App& app);
Command add_segment(CLI::App& app);
Command add_topics(CLI::App& app);
Command add_denoise(CLI::App& app);
Command add_list(CLI::App& app);
Command add_report(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_manual(CLI::App& app);
Command add_completion(CLI::App& app);
Command add_version(CLI::App& app);

}  // namespace quasar::cli
