// Parameters that vgp and vngp share.
#pragma once

#include <quasar/config.hpp>

#include "models/topics/variational/gamma_topics.hpp"

namespace quasar {

std::vector<ParamSpec> document_scale_params();  // scales, a0, b0
std::optional<ScalePrior> document_scale_prior(const Config& config);
GammaTopicsSettings gamma_topics_settings(const Config& config);

}  // namespace quasar
