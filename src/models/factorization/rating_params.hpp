// Parameters that every model of ratings has.
#pragma once

#include <array>
#include <string_view>

#include <quasar/config.hpp>

namespace quasar::rating_params {

inline constexpr std::array<Choice, 4> ways_of_duplicates{{{"error"}, {"keep"}, {"mean"}, {"last"}}};

constexpr ParamSpec rank(std::string_view doc) {
  return {.name = "rank", .doc = doc, .type = ParamSpec::integer, .init = "10", .min = 1, .max = 10000};
}
inline constexpr ParamSpec user{.name = "user",
                                .doc = "the column of users; empty: the one called user, or else the first",
                                .type = ParamSpec::text};
inline constexpr ParamSpec item{.name = "item",
                                .doc = "the column of items; empty: the one called item, or else the second",
                                .type = ParamSpec::text};
inline constexpr ParamSpec rating{.name = "rating",
                                  .doc = "the column of ratings; empty: the one called rating, or else the third",
                                  .type = ParamSpec::text};
inline constexpr ParamSpec duplicates{
    .name = "duplicates",
    .doc = "what to do where a user has rated an item twice: an error, keep both, take their mean or the last",
    .type = ParamSpec::choice,
    .init = "error",
    .choices = ways_of_duplicates};

constexpr ParamSpec positive(std::string_view name, std::string_view doc, std::string_view init) {
  return {
      .name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100, .exclusive_min = true};
}

}  // namespace quasar::rating_params
