#include "front/predict.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <quasar/errors.hpp>

#include "front/read_data.hpp"
#include "front/variable_names.hpp"
#include "models/factorization/factorization_predictor.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

const ModelEntry& require_predictor(const ModelEntry& model) {
  if (!model.predictor) throw UsageError(fmt::format("the model {} predicts nothing", model.name));
  return model;
}

// What the run was asked for; a run made by a program may not say.
Json configuration_in(const Run& run, const std::string& run_name) {
  Json configuration = Json::parse(run.info.configuration, nullptr, false);
  if (!configuration.is_object() || !configuration.value("run", Json()).is_object() ||
      !configuration.value("model", Json()).is_object()) {
    throw DataError(
        fmt::format("{}: does not say how its model was set up, so that nothing can be predicted", run_name));
  }
  return configuration;
}

// A setting as a user would write it, also where another program has stored no text there.
std::string text_of(const Json& setting) { return setting.is_string() ? setting.get<std::string>() : setting.dump(); }

const ModelEntry& model_of(const Run& run, const Json& configuration) {
  const std::string stan_program = text_of(configuration["run"].value("bridgestan", Json("")));
  if (!stan_program.empty()) {
    throw UsageError("a Stan program predicts in its generated quantities, not by quasar predict");
  }
  return require_predictor(find_model(run.info.model));
}

Config parameters_of(const ModelEntry& model, const Json& configuration) {
  Settings settings;
  for (const auto& [name, value] : configuration["model"].items()) {
    settings[name] = text_of(value);
  }
  return Config(fmt::format("model {}", model.name), model.params, settings);
}

void require_draws(const Run& run, const std::string& run_name, const Json& configuration) {
  if (run.keep() == Keep::moments) {
    throw DataError(fmt::format(
        "{}: keeps moments and no draws; sample with --keep all or thin, or predict while sampling by --held-out",
        run_name));
  }
  if (run.draws() == 0) throw DataError(fmt::format("{}: holds no draws to predict by", run_name));
  const std::string variables = text_of(configuration["run"].value("variables", Json("")));
  if (!variables.empty()) {
    throw DataError(
        fmt::format("{}: keeps the variables {} alone (--variables), and predictions need all", run_name, variables));
  }
}

const ModelEntry& model_of(const RunSettings& settings, std::string_view option) {
  if (!settings.model) throw UsageError(fmt::format("{} is for the built-in models that predict", option));
  if (!variable_names(settings.run.text("variables")).empty()) {
    throw UsageError(fmt::format("{} needs every variable of a draw; leave --variables out", option));
  }
  return require_predictor(*settings.model);
}

std::vector<LabelColumn> labels_of_pairs(const Table& rows, const KeptColumns& names) {
  const PairColumns columns(rows, names);
  std::vector<LabelColumn> labels = {{"user", {}}, {"item", {}}};
  for (Index row = 0; row < rows.rows(); ++row) {
    labels[0].labels.push_back(label_at(rows, row, columns.user));
    labels[1].labels.push_back(label_at(rows, row, columns.item));
  }
  return labels;
}

}  // namespace

FittedModel fitted_model(const Run& run, const std::string& run_name) {
  const Json configuration = configuration_in(run, run_name);
  const ModelEntry& model = model_of(run, configuration);
  require_draws(run, run_name, configuration);
  FittedModel fitted{model, parameters_of(model, configuration)};
  if (rating_columns_in(run.constants)) {
    require_recorded_order(fitted.parameters, run.constants, run.layout, run_name);
  }
  return fitted;
}

void require_ratings(const FittedModel& model, const ConstantData& kept) {
  if (rating_columns_in(kept)) return;
  throw UsageError(
      fmt::format("--fold-in is for ratings of new users and items, and the model {} has none", model.entry.name));
}

PredictedFile predict_table(const FittedModel& model, const ConstantData& kept, const Table& rows,
                            const Table* fold_in) {
  if (!rating_columns_in(kept)) {
    return {
        model.entry.predictor(model.parameters, kept, rows), rows.content_hash, {rows.numbers, {}}, note_on_rows(rows)};
  }
  auto predictor = make_factorization_predictor(model.parameters, kept, rows, fold_in);
  std::string note = note_on_newcomers(predictor->known_and_new());
  return {
      std::move(predictor), rows.content_hash, {{}, labels_of_pairs(rows, *rating_columns_in(kept))}, std::move(note)};
}

PredictedFile predict_file(const Run& run, const std::string& run_name, const std::string& data,
                           const std::string& fold_in) {
  const FittedModel model = fitted_model(run, run_name);
  std::optional<Table> ratings;
  if (!fold_in.empty()) {
    require_ratings(model, run.constants);
    ratings = read_new_rows(fold_in, run.constants);
  }
  return predict_table(model, run.constants, read_new_rows(data, run.constants), ratings ? &*ratings : nullptr);
}

PredictedFile predict_held_out(const RunSettings& settings, const LoadedModel& model) {
  const ModelEntry& entry = model_of(settings, "--held-out");
  const ConstantData kept = model.target->constant_data();
  const std::string& path = settings.run.text("held_out");
  PredictedFile file = predict_table({entry, settings.model_parameters}, kept, read_new_rows(path, kept));
  const std::span<const double> observed = file.rows->observed();
  if (observed.empty()) {
    throw DataError(fmt::format("{}: has no column of the response, by which predictions are judged", path));
  }
  if (std::ranges::all_of(observed, [](double response) { return std::isnan(response); })) {
    throw DataError(fmt::format("{}: the response is missing in every row, and predictions are judged by it", path));
  }
  return file;
}

void require_log_likelihood(const RunSettings& settings) {
  (void)model_of(settings, "--log-likelihood");
  if (settings.run.text("keep") == "moments") {
    throw UsageError("--log-likelihood belongs to draws, and --keep moments keeps none");
  }
}

}  // namespace quasar
