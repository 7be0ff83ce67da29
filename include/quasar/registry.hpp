// quasar/registry.hpp -- the tables of names: samplers, models, experiments.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct ExperimentRow {
  std::string method, quantity;
  double value;
  std::optional<double> mcse, printed;  // printed: the paper's number, where it prints one
};

struct ExperimentOptions {
  std::uint64_t seed = 1;
  bool quick = false;
  std::string data_dir;
  std::string work_dir;  // finished parts of a long experiment are kept there; empty: nowhere
  std::function<void(std::string_view)> on_method = [](std::string_view) {};  // told what is run next
};

struct ExperimentResult {
  Settings settings;
  std::vector<ExperimentRow> rows;
};

struct ExperimentEntry {
  std::string_view name, paper, doc;
  ExperimentResult (*run)(const ExperimentOptions&);
};

std::span<const SamplerEntry> samplers();
std::span<const ModelEntry> models();
std::span<const ExperimentEntry> experiments();

const SamplerEntry& find_sampler(std::string_view name);  // UsageError with the nearest name
const ModelEntry& find_model(std::string_view name);
const ExperimentEntry& find_experiment(std::string_view name);

}  // namespace quasar
