// A parameter in words.
#pragma once

#include <string>

#include <quasar/config.hpp>

namespace quasar::cli {

std::string with_default(const ParamSpec& spec);  // "jitter = 0.1  (>= 0, <= 0.99)"

}  // namespace quasar::cli
