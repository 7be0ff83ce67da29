// alpha-mf by its parameters and a matrix of magnitudes.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/alpha/alpha_source.hpp"

namespace quasar {

std::span<const ParamSpec> alpha_mf_params();
// Whether data are a matrix, whose dimensions have names, of numbers that only matter by their size.
bool is_of_intensities(const Config& parameters);

// dictionary: W, if it is given. UsageError
AlphaSource alpha_source(const Config& config, const Intensities& data, Mat dictionary = {});
std::unique_ptr<Target> make_alpha_mf(const Config& config, const Table* data);

}  // namespace quasar
