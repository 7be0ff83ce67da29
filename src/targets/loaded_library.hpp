// A shared library in this process. It stays loaded: unloading crashes some systems.
#pragma once

#include <string>

namespace quasar {

struct LoadedLibrary {
  std::string file;
  void* handle;  // the loader's
};

// What is in the file now, even if this process has loaded another file of this name before. DataError: it cannot be
// loaded, or it was written over since this process loaded it.
LoadedLibrary load_library(const std::string& file);

}  // namespace quasar
