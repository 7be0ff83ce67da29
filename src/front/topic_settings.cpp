#include "front/topic_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include <quasar/errors.hpp>
#include <quasar/runner.hpp>

#include "front/prediction_params.hpp"

namespace quasar {
namespace {

constexpr Choice keeping_shares[] = {{"auto"}, {"yes"}, {"no"}};
constexpr double most_sweeps = 1e9, curve_points = 20;

std::optional<double> passes_or_auto(const Config& fit, std::string_view name, bool zero_allowed) {
  const std::string& text = fit.text(name);
  if (text == "auto") return std::nullopt;
  const auto value = parse_real(text);
  if (!value || !(*value <= most_sweeps) || *value < 0 || (*value == 0 && !zero_allowed)) {
    std::string flag(name);
    std::ranges::replace(flag, '_', '-');
    throw UsageError(fmt::format("--{} = '{}': must be a number of passes over the documents, {} 0, or auto", flag,
                                 text, zero_allowed ? "at least" : "above"));
  }
  return value;
}

// 500, not 500.0: as a user would write it.
nlohmann::ordered_json plain(double number) {
  if (number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

std::span<const ParamSpec> topic_fit_params() {
  static constexpr ParamSpec params[] = {
      {.name = "method",
       .doc = "how topics are fitted; quasar list topics shows all",
       .type = ParamSpec::text,
       .init = "gamma-gp"},
      {.name = "sweeps",
       .doc = "passes over the documents, at most so many where a method converges; auto: as the method needs",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "burn_in",
       .doc = "passes before the first draw is kept; auto: half of them",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "draws",
       .doc = "draws of the topics to keep, evenly spaced; a variational method has one",
       .type = ParamSpec::integer,
       .init = "10",
       .min = 1,
       .max = 10000},
      {.name = "evaluate_every",
       .doc = "passes between two points of the held-out curve; auto: twenty points",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "shares",
       .doc = "keep the topics' shares in every document; auto: where they take at most 100 MB",
       .type = ParamSpec::choice,
       .init = "auto",
       .choices = keeping_shares},
      seed_param,
      threads_param("threads; 0: one per core. Results do not depend on it"),
  };
  return params;
}

TopicFitSettings topic_fit_settings(const Config& fit, const Settings& parameters) {
  TopicFitSettings settings;
  settings.method = &find_topic_method(fit.text("method"));
  settings.parameters = Config(settings.method->name, settings.method->params(), parameters);
  const bool samples = settings.method->kind != TopicKind::variational;
  settings.sweeps = passes_or_auto(fit, "sweeps", false).value_or(settings.method->sweeps);
  settings.burn_in = passes_or_auto(fit, "burn_in", true).value_or(samples ? std::floor(settings.sweeps / 2) : 0);
  if (!samples) settings.burn_in = 0;
  if (settings.burn_in >= settings.sweeps) {
    throw UsageError(fmt::format("--burn-in = {:g}: must be below --sweeps = {:g}, or nothing is left to keep",
                                 settings.burn_in, settings.sweeps));
  }
  settings.draws = samples ? fit.integer("draws") : 1;
  settings.evaluate_every = passes_or_auto(fit, "evaluate_every", false).value_or(settings.sweeps / curve_points);
  settings.shares = fit.text("shares");
  settings.seed = static_cast<std::uint64_t>(fit.integer("seed"));
  settings.threads = static_cast<int>(fit.integer("threads"));
  if (settings.threads == 0) settings.threads = available_threads();
  return settings;
}

nlohmann::ordered_json TopicFitSettings::to_json() const {
  nlohmann::ordered_json json = {{"method", method->name}};
  for (const auto& [name, value] : parameters.values()) {
    std::visit([&, &key = name](const auto& plain) { json["parameters"][key] = plain; }, value);
  }
  json.update({{"sweeps", plain(sweeps)},
               {"burn_in", plain(burn_in)},
               {"draws", draws},
               {"evaluate_every", plain(evaluate_every)},
               {"shares", shares},
               {"seed", seed}});
  return json;
}

}  // namespace quasar
