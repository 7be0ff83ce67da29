#include "tune.hpp"

#include <fmt/core.h>

#include <cmath>

#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Trial& trial) {
  const std::string batch = trial.batch_size > 0 ? fmt::format(", batch_size {}", trial.batch_size) : "";
  return fmt::format("step_size {:.3g}{}, KSD {:.3g}", trial.step_size, batch, trial.ksd);
}

Json to_json(const Trial& trial) {
  return {{"step_size", trial.step_size},
          {"batch_size", trial.batch_size},
          {"ksd", std::isfinite(trial.ksd) ? Json(trial.ksd) : Json(nullptr)},
          {"passes", trial.passes},
          {"iterations", trial.iterations}};
}

}  // namespace

Tuned tune_sampler(const Target& target, RunSettings& settings) {
  const bool quiet = settings.run.flag("quiet");
  TuneOptions options;
  options.seed = static_cast<std::uint64_t>(settings.run.integer("seed"));
  options.on_rung = [&](const std::vector<Trial>& still_in) {
    if (!quiet) note("tune: {} settings, best {}\n", still_in.size(), shown(still_in.front()));
  };
  const SamplerEntry& sampler = *settings.sampler;
  Settings chosen = as_settings(settings.sampler_parameters);
  Tuned tuned = tune(target, sampler, chosen, options);
  if (!quiet) {
    note("tune: chose {} after {:.0f} passes over the data; it ran for {} iterations\n", shown(tuned.best),
         tuned.passes, tuned.best.iterations);
  }
  chosen["step_size"] = fmt::format("{}", tuned.best.step_size);
  if (tuned.best.batch_size > 0) chosen["batch_size"] = std::to_string(tuned.best.batch_size);
  settings.sampler_parameters = Config(sampler.name, sampler.params, chosen);
  return tuned;
}

Json to_json(const Tuned& tuned) {
  Json json = to_json(tuned.best);
  json["passes"] = tuned.passes;
  json["trials"] = Json::array();
  for (const Trial& trial : tuned.trials) json["trials"].push_back(to_json(trial));
  return json;
}

}  // namespace quasar::cli
