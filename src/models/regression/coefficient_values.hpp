// Coefficients as they are reported: those of the original columns, `intercept` and `beta`, for each class but the
// first where the response has classes.
#pragma once

#include <quasar/core.hpp>

#include "models/regression/coefficient_prior.hpp"
#include "models/regression/design.hpp"

namespace quasar {

CoefficientCounts coefficient_counts(const Design& design, Index outputs);

// One linear predictor: intercept, beta[predictor]. More: intercept[class], beta[class, predictor].
Layout coefficient_layout(const Design& design, Index outputs);

// Of each linear predictor its coefficients one after the other, on the scale that is fitted; and the values above.
void to_original(const Design& design, In standardized, Index outputs, Out values);
void to_standardized(const Design& design, In values, Index outputs, Out standardized);

}  // namespace quasar
