// A comparison as a page that stands alone: the tables, and pictures of them.
#pragma once

#include <string>

#include "compare/comparison.hpp"

namespace quasar {

std::string page_of(const Comparison& comparison);  // HTML

}  // namespace quasar
