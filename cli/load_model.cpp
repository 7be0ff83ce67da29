#include "load_model.hpp"

#include <fmt/core.h>

#include <utility>

#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "models/prior_only.hpp"

namespace quasar::cli {

LoadedModel load_model(const RunSettings& settings) {
  const ModelEntry& model = *settings.model;
  const std::string& data = settings.run.text("data");
  if (model.needs_data && data.empty()) throw UsageError(fmt::format("the model {} needs --data", model.name));
  if (!model.needs_data && !data.empty()) throw UsageError(fmt::format("the model {} takes no --data", model.name));
  const Table table = model.needs_data ? read_csv(data) : Table{};
  auto target = model.make(settings.model_parameters, model.needs_data ? &table : nullptr);
  if (settings.run.flag("prior_only")) target = without_likelihood(std::move(target));
  return {std::move(target), table.content_hash};
}

}  // namespace quasar::cli
