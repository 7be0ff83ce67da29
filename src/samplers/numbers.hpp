// Parameters that are one number or many: "3", "1,2,0.5".
#pragma once

#include <string>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

namespace quasar {

// dim numbers, or one that stands for all. UsageError names the parameter.
Vec numbers(const Config& config, const std::string& name, Index dim);
// 1 x 1 for one number, D x 1 for dim of them, D x D (symmetric) for dim^2, row by row.
Mat any_matrix(const Config& config, const std::string& name, Index dim);

}  // namespace quasar
