// What the file of a shared library says of itself before it is loaded; loading a wrong one can end the process.
#pragma once

#include <optional>
#include <string>

namespace quasar {

bool is_no_file(const std::string& path);  // a folder, or a pipe, of which one could wait for ever to say something

// The loader maps what an ELF file says it holds, and whoever touches what lies behind the end of the file dies of a
// bus error: a copy that broke off has to be seen before. false also for what is no library; the loader says that
// itself.
bool is_cut_off(const std::string& file);

// Whether a Stan program is compiled with STAN_THREADS: then its tape of derivatives is thread-local storage. Nothing:
// the library keeps its symbols to itself, or is none.
std::optional<bool> compiled_with_threads(const std::string& file);

}  // namespace quasar
