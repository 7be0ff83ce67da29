// sample --tune: settings of a stochastic-gradient sampler found before it runs.
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/core.hpp>

#include "front/run_settings.hpp"
#include "samplers/tune.hpp"

namespace quasar::cli {

// Puts what was chosen into the sampler's parameters. Tells about it as it goes, unless quiet.
Tuned tune_sampler(const Target& target, RunSettings& settings);
nlohmann::ordered_json to_json(const Tuned& tuned);

}  // namespace quasar::cli
