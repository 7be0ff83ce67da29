// The names in --variables a,b, blanks around them left out.
#pragma once

#include <string>
#include <vector>

namespace quasar {

std::vector<std::string> variable_names(const std::string& text);  // UsageError: a name is missing

}  // namespace quasar
