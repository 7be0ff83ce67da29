// What may be typed next: the answer to a shell whose user has pressed the tabulator key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interface.hpp"

namespace quasar::cli {

inline constexpr std::string_view completion_request = "_complete";  // quasar _complete sample --sampler nu

// What may stand in the place of the last word. The first line says how a shell goes on:
//   words        one of the lines that follow, each a word, a tabulator and what it means
//   parts        alike, but the word goes on: no blank after it
//   files E      a file that ends in .E; without E any file
//   folders      a folder
void print_completions(const Interface& program, const std::vector<std::string>& words);

}  // namespace quasar::cli
