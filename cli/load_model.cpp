#include "load_model.hpp"

#include <fmt/core.h>

#include <utility>

#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "io/packed_table.hpp"
#include "models/prior_only.hpp"

namespace quasar::cli {

namespace {

Table read_table(const std::string& path) { return is_packed_table(path) ? open_packed_table(path) : read_csv(path); }

}  // namespace

LoadedModel load_model(const RunSettings& settings) {
  const ModelEntry& model = *settings.model;
  const std::string& data = settings.run.text("data");
  if (model.needs_data && data.empty()) throw UsageError(fmt::format("the model {} needs --data", model.name));
  if (!model.needs_data && !data.empty()) throw UsageError(fmt::format("the model {} takes no --data", model.name));
  const Table table = model.needs_data ? read_table(data) : Table{};
  auto target = model.make(settings.model_parameters, model.needs_data ? &table : nullptr);
  if (settings.run.flag("prior_only")) target = without_likelihood(std::move(target));
  return {std::move(target), table.content_hash};
}

}  // namespace quasar::cli
