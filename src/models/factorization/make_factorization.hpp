// bpmf by its parameters and a table of ratings.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/factorization/factorization.hpp"

namespace quasar {

std::span<const ParamSpec> bpmf_params();
FactorizationSettings factorization_settings(const Config& config);
FactorizationSetup bpmf_setup(const Config& config);
std::unique_ptr<Target> make_bpmf(const Config& config, const Table* data);

}  // namespace quasar
