// The model that a run names, on its data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>
#include <quasar/predict.hpp>

#include "front/run_settings.hpp"
#include "targets/stan_model.hpp"

namespace quasar {

struct LoadedModel {
  std::unique_ptr<Target> target;
  std::string name;
  std::string data_hash;                        // empty without data
  std::string library_hash;                     // of a compiled Stan program; empty: built in
  std::vector<std::string> notes = {};          // on the data, for the user
  std::unique_ptr<Predictor> fitted = nullptr;  // of the data themselves, where --log-likelihood wants them
};

// exchange: between the ranks that share the shards of the data, where these are asked for; null: one process.
// leads: this process writes the run file, and so has the rows whose log likelihood is wanted. UsageError, DataError
LoadedModel load_model(const RunSettings& settings, Exchange* exchange = nullptr, bool leads = true);

std::string read_stan_data(const std::string& path);                             // JSON text. DataError
LoadedModel load_stan_program(const std::string& library, StanOptions options);  // UsageError, DataError

// What the run file says of a run before it begins: what was asked for, and on what.
RunInfo describe(const RunSettings& settings, const LoadedModel& model, const std::vector<Vec>& initial);

}  // namespace quasar
