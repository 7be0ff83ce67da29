#include "profile.hpp"

#include <fmt/core.h>

namespace quasar::cli {
namespace {

void for_each_number(const RankTimes& rank, const auto& visit) {
  WorkTimes::fields(rank.work, visit);
  visit("other", rank.other());
  visit("total", rank.total);
}

}  // namespace

std::string profile_text(std::span<const RankTimes> ranks) {
  std::string text = "seconds of each rank\n  rank";
  for_each_number(RankTimes{}, [&](std::string_view name, double) { text += fmt::format("  {:>13}", name); });
  text += "\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += fmt::format("{:>6}", i);
    for_each_number(ranks[i], [&](std::string_view, double seconds) { text += fmt::format("  {:>13.3f}", seconds); });
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json profile_json(std::span<const RankTimes> ranks) {
  auto json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    nlohmann::ordered_json one = {{"rank", i}};
    for_each_number(ranks[i], [&](std::string_view name, double seconds) { one[std::string(name)] = seconds; });
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace quasar::cli
