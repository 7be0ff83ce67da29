// What front ends share of predictions beside the numbers: their settings, and what the user has to know of them.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/predict.hpp>
#include <quasar/run_data.hpp>

#include "io/predictions_csv.hpp"
#include "predict/posterior_predictions.hpp"

namespace quasar {

std::span<const ParamSpec> prediction_params();
PredictionSettings prediction_settings(const Config& config);

struct PredictionReport {
  const Run& run;
  const Predictor& predictor;
  const PredictionSummary& summary;
  std::string data;  // where the rows came from, for messages
  Settings given;    // of prediction_params
  const RowNames& names;
  bool counts_from_0 = false;  // how messages count rows: those in memory

  std::vector<std::string> warnings() const;
  nlohmann::ordered_json to_json() const;  // model, rows, draws, classes, scores (null: there are none), warnings
};

}  // namespace quasar
