// What a fitted model says of the rows of a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <quasar/predict.hpp>
#include <quasar/registry.hpp>
#include <quasar/run_data.hpp>
#include <quasar/table.hpp>

#include "front/load_model.hpp"
#include "io/predictions_csv.hpp"

namespace quasar {

struct PredictedFile {
  std::unique_ptr<Predictor> rows;
  std::string content_hash;
  RowNames names = {};
  std::string note = {};  // on rows that were left out, for the user; empty: none
};

struct FittedModel {
  const ModelEntry& entry;
  Config parameters;
};
// The model of a run whose draws can predict. UsageError: it predicts nothing. DataError: the run has no draws, or not
// of every variable. run_name: for messages.
FittedModel fitted_model(const Run& run, const std::string& run_name);
void require_ratings(const FittedModel& model, const ConstantData& kept);  // UsageError: it has none to fold in

// What it says of rows that front/read_data.hpp has read, or of a table in memory with the same columns. fold_in:
// likewise, ratings of users or items that were not fitted; null: none.
PredictedFile predict_table(const FittedModel& model, const ConstantData& kept, const Table& rows,
                            const Table* fold_in = nullptr);

// By the draws of a run, of which fitted_model is asked for. DataError: the file does not fit the model. fold_in: a
// file with ratings of users or items that were not fitted; empty: none.
PredictedFile predict_file(const Run& run, const std::string& run_name, const std::string& data,
                           const std::string& fold_in = "");

// By the draws that a run is going to make. UsageError: the model predicts nothing, or not all its variables are kept.
PredictedFile predict_held_out(const RunSettings& settings, const LoadedModel& model);

void require_log_likelihood(const RunSettings& settings);  // UsageError: likewise, or no draws are kept

}  // namespace quasar
