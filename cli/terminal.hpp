// Standard error as people see it. Nothing here throws: a closed or full terminal must not cost a run.
#pragma once

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "io/printable.hpp"

namespace quasar::cli {

inline bool silent = false;  // of ranks for which rank 0 speaks

template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  if (!silent) std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stderr);
}

// Names that come from files are in it.
inline void warn(const std::string& text) { note("warning: {}\n", printable(text)); }

struct TerminalSize {
  int rows = 0, columns = 0;  // 0: not a terminal
};

inline TerminalSize terminal_size() {
  winsize size{};
  if (isatty(STDERR_FILENO) != 1 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace quasar::cli
