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
bool is_of_intensities(
    const Config& parameters);  // whether data are a matrix of numbers that only matter by their size

AlphaSource alpha_source(const Config& config, const Intensities& data);  // UsageError
std::unique_ptr<Target> make_alpha_mf(const Config& config, const Table* data);

}  // namespace quasar
