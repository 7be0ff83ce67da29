// negative-binomial: Bayesian regression of counts that spread wider than Poisson's.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"

namespace quasar {

// y ~ NegativeBinomial with mean m = e^z, z = intercept + x'beta, and variance m + m^2/dispersion: Poisson with a rate
// of Gamma law, whose coefficient of variation 1/sqrt(dispersion) ~ half-normal(0, 1).
std::unique_ptr<Target> make_negative_binomial(const Config& config, const Table* data);
std::unique_ptr<Predictor> predict_negative_binomial(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
