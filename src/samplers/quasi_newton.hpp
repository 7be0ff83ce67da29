// BFGS or L-BFGS, by dimension or as the user says.
#pragma once

#include <memory>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>

#include "metrics/dense.hpp"
#include "metrics/lbfgs.hpp"

namespace quasar {

inline constexpr Index largest_dense_bfgs = 100;

inline constexpr ParamSpec quasi_newton_memory_param{
    "memory",
    "pairs that L-BFGS keeps; 0: dense BFGS up to 100 dimensions, L-BFGS with 20 pairs beyond",
    ParamSpec::integer,
    "0",
    0,
    1000};

inline std::int64_t memory_for(Index dim, const Config& config) {  // 0: dense
  const std::int64_t given = config.integer("memory");
  return given > 0 || dim <= largest_dense_bfgs ? given : default_memory;
}

template <class F>
std::unique_ptr<Chain> with_curvature(Index dim, const Config& config, F&& make) {
  const std::int64_t memory = memory_for(dim, config);
  return memory == 0 ? make(Dense(dim)) : make(Lbfgs(dim, memory));
}

}  // namespace quasar
