// quasar/registry.hpp -- the tables of names: samplers, models, experiments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/predict.hpp>
#include <quasar/table.hpp>

namespace quasar {

struct SamplerEntry {
  std::string_view name, family, doc;
  Law law;
  std::string_view why;  // it has that law
  bool stochastic;
  std::span<const ParamSpec> params;
  std::unique_ptr<Chain> (*make)(std::unique_ptr<Target>, const Config&, const ChainSpec&);
  bool blocked = false;  // ranks run a chain of it together, each with its blocks of the parameters and the data
};

struct ModelEntry {
  std::string_view name, family, doc;
  bool needs_data;
  std::span<const ParamSpec> params;
  std::unique_ptr<Target> (*make)(const Config&, const Table* data);  // data: null unless needs_data
  // On new rows, by what the model kept of those it was fitted to. Null: the model predicts nothing.
  std::unique_ptr<Predictor> (*predictor)(const Config&, const ConstantData& kept, const Table& rows) = nullptr;
};

struct ExperimentEntry;  // quasar/experiment.hpp

std::span<const SamplerEntry> samplers();
std::span<const ModelEntry> models();
std::span<const ExperimentEntry> experiments();

const SamplerEntry& find_sampler(std::string_view name);  // UsageError with the nearest name
const ModelEntry& find_model(std::string_view name);
const ExperimentEntry& find_experiment(std::string_view name);

}  // namespace quasar
