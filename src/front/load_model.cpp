#include "front/load_model.hpp"

#include <fmt/core.h>

#include <utility>

#include <quasar/errors.hpp>

#include "estimators/sharded_sum.hpp"
#include "front/label_notes.hpp"
#include "front/predict.hpp"
#include "front/read_data.hpp"
#include "io/init.hpp"
#include "io/input_file.hpp"
#include "models/factorization/kept_ratings.hpp"
#include "models/factorization/load_blocks.hpp"
#include "models/prior_only.hpp"

namespace quasar {

std::string read_stan_data(const std::string& path) {
  std::string text = read_text(path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw DataError(fmt::format("{}: is empty", path));
  return text;
}

LoadedModel load_stan_program(const std::string& library, StanOptions options) {
  const std::string data_hash = options.data.empty() ? "" : content_hash(options.data);
  if (!options.data.empty())
    options.data += '\n';  // so that no content can look to the library like the name of another file
  auto target = std::make_unique<StanModel>(library, options);
  std::string name = target->name();
  return {std::move(target), std::move(name), data_hash, content_hash(read_text(library))};
}

namespace {

bool wants_log_likelihood(const RunSettings& settings) {
  return settings.sampler && settings.run.flag("log_likelihood");  // without a sampler it is no such option
}

LoadedModel stan_program_of(const Config& run) {
  const std::string& data = run.text("data");
  return load_stan_program(run.text("bridgestan"), {.data = data.empty() ? "" : read_stan_data(data),
                                                    .data_file = data,
                                                    .seed = static_cast<std::uint64_t>(run.integer("seed")),
                                                    .transformed = run.text("transformed") == "yes",
                                                    .generated = run.text("generated") == "yes"});
}

LoadedModel load_built_in(const RunSettings& settings, bool leads) {
  if (!settings.model) {
    throw UsageError(
        "which model? Give --model NAME, --bridgestan LIBRARY or a configuration file; quasar list models shows them");
  }
  const ModelEntry& model = *settings.model;
  const std::string& data = settings.run.text("data");
  if (model.needs_data && data.empty()) throw UsageError(fmt::format("the model {} needs --data", model.name));
  if (!model.needs_data && !data.empty()) throw UsageError(fmt::format("the model {} takes no --data", model.name));
  const Table table = model.needs_data ? read_data(data, settings.model_parameters) : Table{};
  auto target = model.make(settings.model_parameters, model.needs_data ? &table : nullptr);
  const ConstantData kept = target->constant_data();
  std::unique_ptr<Predictor> fitted;
  if (leads && wants_log_likelihood(settings)) {
    fitted = model.predictor(settings.model_parameters, kept, rating_columns_in(kept) ? in_memory(table) : table);
  }
  std::vector<std::string> notes = label_notes(table, kept);
  if (std::string note = note_on_fit(table, kept); !note.empty()) notes.insert(notes.begin(), std::move(note));
  return {std::move(target), std::string(model.name), table.content_hash, "", std::move(notes), std::move(fitted)};
}

}  // namespace

LoadedModel load_model(const RunSettings& settings, Exchange* exchange, bool leads) {
  check_shards(settings, exchange ? exchange->size() : 1);
  if (wants_log_likelihood(settings)) require_log_likelihood(settings);
  const bool stan = !settings.run.text("bridgestan").empty();
  LoadedModel model = stan ? stan_program_of(settings.run) : load_built_in(settings, leads);
  if (const auto* in_blocks = dynamic_cast<const BlockedFactorization*>(model.target.get()); in_blocks && exchange) {
    require_a_block_each(exchange->size(), in_blocks->settings().blocks);
  }
  if (settings.run.flag("prior_only")) model.target = without_likelihood(std::move(model.target));
  if (const int shards = shards_of(settings)) model.target = sharded(std::move(model.target), shards, exchange);
  return model;
}

RunInfo describe(const RunSettings& settings, const LoadedModel& model, const std::vector<Vec>& initial) {
  RunInfo info;
  info.model = model.name;
  info.data_source = settings.run.text("data");
  info.data_hash = model.data_hash;
  info.init_hash = initial.empty() ? "" : points_hash(initial);
  nlohmann::ordered_json configuration = settings.to_json();
  configuration["run"].erase("check");  // is asked about a run, not part of it: a finished one may be checked later
  configuration["run"].erase("tune");   // what it has chosen is among the sampler's parameters
  if (!model.library_hash.empty()) configuration["model"]["library"] = model.library_hash;
  info.configuration = configuration.dump();
  return info;
}

}  // namespace quasar
