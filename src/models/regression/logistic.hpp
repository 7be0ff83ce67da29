// logistic: Bayesian logistic regression, P(y = 1) = 1 / (1 + e^-z), z = intercept + x'beta.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

// Prior normal and no groups: has a Fisher metric and a Hessian.
std::unique_ptr<Target> make_logistic(const Config& config, const Table* data);
std::unique_ptr<Predictor> predict_logistic(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
