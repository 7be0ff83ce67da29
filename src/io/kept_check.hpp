// What --check found, as a run file keeps it. Whoever reads it relies on this shape; files are anybody's.
#pragma once

#include <nlohmann/json.hpp>

namespace quasar {

//   {"exact": {"beyond_chance": n, "parameters": [{"name": text, "mean_error": {"value": x, …}, "sd_error": {…}}]},
//    "ksd": {"draws": n, "run": {"ksd": x, …}, "exact": {…}},
//    "warnings": [text]}
//
// Each of the three may be missing; x may be null, which is how an undefined number is written.
bool is_check(const nlohmann::ordered_json& json);

}  // namespace quasar
