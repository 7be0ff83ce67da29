// From parameters and a table to the model `network` and its predictor.
#pragma once

#include <memory>
#include <span>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

namespace quasar {

std::span<const ParamSpec> network_params();
std::unique_ptr<Target> make_network(const Config& config, const Table* data);
std::unique_ptr<Predictor> make_network_predictor(const Config& config, const ConstantData& kept, const Table& rows);

}  // namespace quasar
