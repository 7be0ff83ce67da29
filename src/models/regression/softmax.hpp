// softmax: Bayesian regression of a response with K classes, P(y = k) ~ e^(z_k), z_k = intercept_k + x'beta_k, z_0 = 0.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

// The first class is the reference: K - 1 linear predictors.
std::unique_ptr<Target> make_softmax(const Config& config, const Table* data);
std::unique_ptr<Predictor> predict_softmax(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
