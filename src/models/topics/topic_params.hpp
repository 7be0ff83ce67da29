// Parameters that several ways to fit topics share.
#pragma once

#include <string_view>
#include <vector>

#include <quasar/config.hpp>

#include "models/topics/gamma_process_prior.hpp"

namespace quasar {

ParamSpec topics_param(std::string_view init = "100");
ParamSpec word_prior_param(std::string_view init = "0.05");
ParamSpec positive_param(std::string_view name, std::string_view doc, std::string_view init);

std::vector<ParamSpec> scale_params();          // a0, b0: p_n ~ Beta(a0, b0)
std::vector<ParamSpec> gamma_process_params();  // rounds, {alpha,gamma,c}_{shape,rate}
GammaProcessHyperpriors gamma_process_hyperpriors(const Config& config);

std::vector<ParamSpec> joined(std::initializer_list<std::vector<ParamSpec>> parts);

}  // namespace quasar
