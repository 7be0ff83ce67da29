// What a fitted model says of the rows of a file.
#pragma once

#include <memory>
#include <string>

#include <quasar/predict.hpp>
#include <quasar/registry.hpp>
#include <quasar/run_data.hpp>

#include "front/load_model.hpp"

namespace quasar {

struct PredictedFile {
  std::unique_ptr<Predictor> rows;
  std::string content_hash;
  std::string note = {};  // on rows that were left out, for the user; empty: none
};

// By the draws of a run. UsageError: its model predicts nothing. DataError: it has no draws, or not of every variable;
// the file does not fit the model. run_name: for messages.
PredictedFile predict_file(const Run& run, const std::string& run_name, const std::string& data);

// By the draws that a run is going to make. UsageError: the model predicts nothing, or not all its variables are kept.
PredictedFile predict_held_out(const RunSettings& settings, const LoadedModel& model);

void require_log_likelihood(const RunSettings& settings);  // UsageError: likewise, or no draws are kept

}  // namespace quasar
