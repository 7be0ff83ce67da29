#include "front/segment_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "front/prediction_params.hpp"

namespace quasar {
namespace {

constexpr std::array<std::string_view, 4> method_names = {"asymp-ihmm", "asymp-hmm", "hmm-em", "ihmm-beam"};
constexpr std::array<std::string_view, 3> emission_names = {"normal", "poisson", "categorical"};

constexpr Choice segment_methods[] = {{"asymp-ihmm"}, {"asymp-hmm"}, {"hmm-em"}, {"ihmm-beam"}};
constexpr Choice emissions[] = {{"normal"}, {"poisson"}, {"categorical"}};
constexpr Choice selectors[] = {{"bic"}, {"fewest_states"}};
constexpr Choice covariances[] = {{"shared"}, {"state"}, {"full"}};
constexpr Choice standardizing[] = {{"auto"}, {"yes"}, {"no"}};

// What belongs to some methods only.
struct Belongs {
  std::string_view name;
  std::vector<SegmentMethod> methods;
  std::string_view instead;  // what a user of another method may do
};

const std::vector<Belongs>& belongings() {
  using enum SegmentMethod;
  static const std::vector<Belongs> all = {
      {"states", {asymp_hmm, hmm_em}, "it finds the number of states itself; --method asymp-hmm or hmm-em takes one"},
      {"lambda", {asymp_ihmm, asymp_hmm}, "it has no penalties"},
      {"lambda1", {asymp_ihmm}, "only asymp-ihmm has it"},
      {"lambda2", {asymp_ihmm}, "only asymp-ihmm has it"},
      {"selector", {asymp_ihmm}, "only asymp-ihmm chooses penalties"},
      {"covariance", {hmm_em}, "only hmm-em fits covariances"},
      {"restarts", {asymp_hmm, hmm_em}, "it starts from no random point"},
      {"chains", {ihmm_beam}, "only ihmm-beam runs chains"},
      {"warmup", {ihmm_beam}, "only ihmm-beam makes sweeps"},
      {"sweeps", {ihmm_beam}, "only ihmm-beam makes sweeps"},
      {"standardize", {asymp_ihmm, asymp_hmm, hmm_em}, "its priors are made for columns in these units"},
      {"window", {asymp_ihmm, asymp_hmm, hmm_em}, "a sampler for every window would take too long; use asymp-ihmm"},
  };
  return all;
}

template <class Names>
auto index_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) - names.begin();
}

std::optional<double> penalty(const Config& config, std::string_view name) {
  const std::string& text = config.text(name);
  if (text == "auto") return std::nullopt;
  const auto value = parse_real(text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    throw UsageError(fmt::format("--{} = '{}': must be a number, at least 0, or auto", name, text));
  }
  return value;
}

void refuse_foreign(const SegmentSettings& settings, const Settings& given) {
  for (const Belongs& one : belongings()) {
    if (!given.contains(std::string(one.name)) || std::ranges::count(one.methods, settings.method) > 0) continue;
    throw UsageError(fmt::format("--{} is not for {}: {}", one.name, to_string(settings.method), one.instead));
  }
  const bool needs_states = settings.method == SegmentMethod::asymp_hmm || settings.method == SegmentMethod::hmm_em;
  if (needs_states && settings.states == 0) {
    throw UsageError(
        fmt::format("{} needs --states; --method asymp-ihmm finds how many there are", to_string(settings.method)));
  }
  if (settings.emission == Emission::normal) return;
  for (const char* name : {"covariance", "standardize"}) {
    if (given.contains(name)) {
      throw UsageError(
          fmt::format("--{} is for normal emissions, not for {} ones", name, to_string(settings.emission)));
    }
  }
  if (settings.emission == Emission::categorical && settings.window > 0) {
    throw UsageError("--window judges forecasts of numbers, not of categories");
  }
}

}  // namespace

std::string_view to_string(SegmentMethod method) { return method_names.at(static_cast<std::size_t>(method)); }
std::string_view to_string(Emission emission) { return emission_names.at(static_cast<std::size_t>(emission)); }

std::span<const ParamSpec> segment_params() {
  static constexpr ParamSpec params[] = {
      {.name = "method",
       .doc = "asymp-ihmm: fast, finds the number of states; ihmm-beam: a sampler of the same model, with "
              "probabilities; asymp-hmm and hmm-em: for a number of states that is given",
       .type = ParamSpec::choice,
       .init = "asymp-ihmm",
       .choices = segment_methods},
      {.name = "emission",
       .doc = "what the values are within a state: normal, poisson (counts) or categorical (labels)",
       .type = ParamSpec::choice,
       .init = "normal",
       .choices = emissions},
      {.name = "states",
       .doc = "number of states; asymp-hmm and hmm-em need it",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 10000},
      {.name = "lambda",
       .doc = "penalty of improbable transitions, about twice the variance within a state; auto: chosen by the data",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "lambda1",
       .doc = "asymp-ihmm: penalty of every further state that may follow a state",
       .type = ParamSpec::text,
       .init = "auto"},
      {.name = "lambda2", .doc = "asymp-ihmm: penalty of every further state", .type = ParamSpec::text, .init = "auto"},
      {.name = "selector",
       .doc = "asymp-ihmm: how penalties are chosen: bic, or the fewest states above one",
       .type = ParamSpec::choice,
       .init = "bic",
       .choices = selectors},
      {.name = "covariance",
       .doc = "hmm-em: one variance for all states, one for each state, or a matrix each",
       .type = ParamSpec::choice,
       .init = "shared",
       .choices = covariances},
      {.name = "restarts",
       .doc = "asymp-hmm, hmm-em: random starts, of which the best counts",
       .type = ParamSpec::integer,
       .init = "10",
       .min = 1,
       .max = 1e6},
      {.name = "chains",
       .doc = "ihmm-beam: chains, which should agree",
       .type = ParamSpec::integer,
       .init = "4",
       .min = 1,
       .max = 10000},
      {.name = "warmup",
       .doc = "ihmm-beam: sweeps of each chain that are not used",
       .type = ParamSpec::integer,
       .init = "200",
       .min = 0,
       .max = 1e9},
      {.name = "sweeps",
       .doc = "ihmm-beam: sweeps of each chain that are used",
       .type = ParamSpec::integer,
       .init = "500",
       .min = 1,
       .max = 1e9},
      {.name = "standardize",
       .doc = "columns in units of their standard deviations; auto: where there are several",
       .type = ParamSpec::choice,
       .init = "auto",
       .choices = standardizing},
      {.name = "ahead",
       .doc = "steps to forecast behind the end of each sequence",
       .type = ParamSpec::integer,
       .init = "1",
       .min = 0,
       .max = 1e6},
      {.name = "window",
       .doc = "also forecast every point by the so many points before it, and say how well that goes; 0: no",
       .type = ParamSpec::integer,
       .init = "0",
       .min = 0,
       .max = 1e9},
      seed_param,
      threads_param("threads; 0: one per core. Results do not depend on it"),
  };
  return params;
}

SegmentSettings segment_settings(const Config& config, const Settings& given) {
  SegmentSettings settings;
  settings.method = static_cast<SegmentMethod>(index_of(method_names, config.text("method")));
  settings.emission = static_cast<Emission>(index_of(emission_names, config.text("emission")));
  settings.states = config.integer("states");
  settings.lambda = penalty(config, "lambda");
  settings.lambda1 = penalty(config, "lambda1");
  settings.lambda2 = penalty(config, "lambda2");
  settings.selector = config.text("selector") == "bic" ? Selector::bic : Selector::fewest_states;
  settings.covariance = config.text("covariance") == "full"    ? StateCovariance::full
                        : config.text("covariance") == "state" ? StateCovariance::state
                                                               : StateCovariance::shared;
  settings.restarts = static_cast<int>(config.integer("restarts"));
  settings.chains = static_cast<int>(config.integer("chains"));
  settings.warmup = config.integer("warmup");
  settings.sweeps = config.integer("sweeps");
  if (config.text("standardize") != "auto") settings.standardize = config.text("standardize") == "yes";
  settings.ahead = config.integer("ahead");
  settings.window = config.integer("window");
  settings.seed = static_cast<std::uint64_t>(config.integer("seed"));
  settings.threads = static_cast<int>(config.integer("threads"));
  refuse_foreign(settings, given);
  return settings;
}

}  // namespace quasar
