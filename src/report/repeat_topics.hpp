// How a fit of topics can be made again.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <quasar/topics.hpp>

namespace quasar::report {

std::string command_of(const TopicFitInfo& info);  // quasar topics fit ...; empty: not known
nlohmann::ordered_json hashes_of(const TopicFitInfo& info);

}  // namespace quasar::report
