// The chain of an HMC-BFGS ensemble, which two samplers offer.
#pragma once

#include <memory>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

namespace quasar {

inline constexpr ParamSpec members_param{
    "members", "members of the ensemble: each learns from the others", ParamSpec::integer, "5", 3, 1000};

std::unique_ptr<Chain> make_ensemble(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec);

}  // namespace quasar
