// sample --profile: what the time of each rank went to.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>

#include "core/in_step.hpp"

namespace quasar::cli {

std::string profile_text(std::span<const RankTimes> ranks);  // a table, one line per rank
nlohmann::ordered_json profile_json(std::span<const RankTimes> ranks);

}  // namespace quasar::cli
