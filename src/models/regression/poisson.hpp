// poisson: Bayesian regression of counts, y ~ Poisson(e^z), z = intercept + x'beta.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

std::unique_ptr<Target> make_poisson(const Config& config, const Table* data);
std::unique_ptr<Predictor> predict_poisson(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
