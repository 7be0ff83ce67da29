// Ratings as a model of ratings would take them, in a packed file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <quasar/config.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

// `settings`: user, item, rating and duplicates, as the models of ratings have them. `between` is called between the
// parts of the work and may throw. DataError, UsageError
void pack_ratings(const std::string& source, const Settings& settings, const std::filesystem::path& out,
                  IfExists if_exists, const std::function<void()>& between);

}  // namespace quasar
