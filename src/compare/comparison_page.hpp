// A comparison as a page that stands alone: the tables, and pictures of them.
#pragma once

#include <string>
#include <vector>

#include <quasar/figure.hpp>

#include "compare/comparison.hpp"

namespace quasar {

std::vector<Figure> figures_of(const Comparison& comparison);
std::string page_of(const Comparison& comparison);  // HTML

}  // namespace quasar
