// The means and standard deviations by which the columns of a design are standardised.
#pragma once

#include <quasar/table.hpp>

#include "models/regression/design_settings.hpp"
#include "models/regression/features.hpp"

namespace quasar {

struct Scale {  // value = mean + sd * standardised value
  double mean = 0, sd = 1;
};

struct FeatureScales {
  Vec means, deviations;  // of the features
  Scale response;         // where it is standardised
};

// DataError: a column is constant, or too extreme. `response`: the column of one that is standardised; -1: none.
FeatureScales feature_scales(const Table& table, const Features& features, const DesignSettings& settings,
                             Index response);

}  // namespace quasar
