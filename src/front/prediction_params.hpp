// The parameters that all commands have which go through the draws of a run.
#pragma once

#include <string_view>

#include <quasar/config.hpp>

namespace quasar {

inline constexpr ParamSpec draws_param{.name = "draws",
                                       .doc = "use at most so many draws, evenly spread; 0: all",
                                       .type = ParamSpec::integer,
                                       .init = "0",
                                       .min = 0,
                                       .max = 1e12};
inline constexpr ParamSpec seed_param{
    .name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15};

constexpr ParamSpec interval_param(std::string_view doc) {
  return {.name = "interval", .doc = doc, .type = ParamSpec::real, .init = "0.9", .min = 0.001, .max = 0.999};
}
constexpr ParamSpec threads_param(std::string_view doc) {
  return {.name = "threads", .doc = doc, .type = ParamSpec::integer, .init = "0", .min = 0, .max = 4096};
}

}  // namespace quasar
