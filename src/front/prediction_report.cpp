#include "front/prediction_report.hpp"

#include <fmt/format.h>

#include "front/prediction_params.hpp"
#include "front/run_summary.hpp"
#include "predict/row_averages.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

Json scores_json(const Scores& scores) {
  if (scores.rows == 0 || scores.unpredicted > 0) return nullptr;
  Json json = Json::object();
  for_each_score(scores, [&](std::string_view name, double value) { json[std::string(name)] = value; });
  return json;
}

}  // namespace

std::span<const ParamSpec> prediction_params() {
  static constexpr ParamSpec params[] = {
      interval_param("level of the central interval of a number"),
      draws_param,
      seed_param,
      threads_param("threads; 0: one per core. Predictions do not depend on it"),
  };
  return params;
}

PredictionSettings prediction_settings(const Config& config) {
  return {config.real("interval"), config.integer("draws"), static_cast<std::uint64_t>(config.integer("seed")),
          static_cast<int>(config.integer("threads"))};
}

std::vector<std::string> PredictionReport::warnings() const {
  std::vector<std::string> warnings;
  if (summary.not_finite > 0) {
    warnings.push_back(
        fmt::format("{}: row {}{} predicted as infinite or NaN: the numbers there, or those of a draw, are too large "
                    "for the model{}",
                    data, names.number(summary.first_not_finite) - (counts_from_0 ? 1 : 0),
                    summary.not_finite == 1 ? " is" : fmt::format(" and {} more are", summary.not_finite - 1),
                    summary.scores.unpredicted > 0 ? "; there are no scores" : ""));
  }
  if (varying_weights(run).size() > 0) {
    warnings.emplace_back(
        "the step size of the run changes, and draws should weigh as it does: here all weigh the same");
  }
  const bool numbers = predictor.classes().empty();
  if (numbers && summary.scores.rows > 0 && summary.draws < least_draws_of_interval) {
    warnings.push_back(fmt::format("coverage is not known by fewer than {} draws", least_draws_of_interval));
  }
  if (!numbers && given.contains("interval")) {
    warnings.emplace_back("--interval is for numbers, and the response is a class");
  }
  return warnings;
}

Json PredictionReport::to_json() const {
  Json json = {{"model", run.info.model}, {"rows", predictor.rows()}, {"draws", summary.draws}};
  if (!predictor.classes().empty()) json["classes"] = predictor.classes();
  json["scores"] = scores_json(summary.scores);
  json["warnings"] = warnings();
  return json;
}

}  // namespace quasar
