// linear: Bayesian linear regression, y ~ N(intercept + x'beta, sigma^2).
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

// With standardize the response is standardised too. On the scale that is fitted sigma ~ half-normal(0, prior_sd).
std::unique_ptr<Target> make_linear(const Config& config, const Table* data);
std::unique_ptr<Predictor> predict_linear(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
