// The parameters of ihmm, and what becomes of them on data: scales and priors.
#include <array>
#include <cmath>
#include <string_view>

#include "core/running_moments.hpp"
#include "models/regression/columns.hpp"
#include "models/sequences/beam_emissions.hpp"
#include "models/sequences/ihmm.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 3> emissions{{{"normal"}, {"poisson"}, {"categorical"}}};
constexpr std::array<Choice, 4> recordings{{{"levels"}, {"states"}, {"both"}, {"none"}}};

constexpr ParamSpec positive(std::string_view name, std::string_view doc, std::string_view init) {
  return {
      .name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100, .exclusive_min = true};
}

constexpr ParamSpec params[] = {
    {.name = "columns",
     .doc = "the columns of the series, names between commas; empty: all that hold numbers",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "sequence",
     .doc = "a column that tells one sequence from the next; empty: all rows are one sequence",
     .type = ParamSpec::text,
     .init = ""},
    {.name = "emission",
     .doc = "what a state says of its points: normal numbers, poisson counts, or the categories of one column",
     .type = ParamSpec::choice,
     .init = "normal",
     .choices = emissions},
    {.name = "sigma",
     .doc = "standard deviation within a state, the same for all columns; 0: it is learned, for each column in units "
            "of the column's own; normal",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 1e100},
    positive("sigma_shape", "of the Gamma prior of 1 / sigma^2", "1"),
    positive("sigma_rate", "of the Gamma prior of 1 / sigma^2, in units of the variance of the column", "0.01"),
    positive("centre_variance", "prior variance of the centres of states, in units of that of the series; normal", "1"),
    positive("rate_shape", "of the Gamma prior of the rates of states; poisson", "1"),
    {.name = "rate_mean",
     .doc = "prior mean of the rates of states; 0: the mean of the series; poisson",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 1e100},
    positive("category_prior", "each weight of the Dirichlet prior of a state's probabilities; categorical", "1"),
    {.name = "learn_concentrations",
     .doc = "learn alpha and gamma; otherwise they are the means of their priors",
     .type = ParamSpec::boolean,
     .init = "true"},
    positive("alpha_shape", "of the Gamma prior of alpha: rows of transitions are like each other where it is large",
             "4"),
    positive("alpha_rate", "of the Gamma prior of alpha", "1"),
    positive("gamma_shape", "of the Gamma prior of gamma: there are many states where it is large", "3"),
    positive("gamma_rate", "of the Gamma prior of gamma", "6"),
    {.name = "start_states",
     .doc = "a chain starts with the points in so many states at random",
     .type = ParamSpec::integer,
     .init = "20",
     .min = 1,
     .max = 1e6},
    {.name = "most_states",
     .doc = "room for states; a chain that needs more stops with an error",
     .type = ParamSpec::integer,
     .init = "200",
     .min = 1,
     .max = 1e6},
    {.name = "record",
     .doc = "what to keep of every point: levels, the centre of its state; states, its number; both; none",
     .type = ParamSpec::choice,
     .init = "levels",
     .choices = recordings},
};

RunningMoments moments_of_row(const Mat& values, Index row) {
  RunningMoments moments(1);
  for (const double x : values.row(row)) {
    if (!std::isnan(x)) moments.add(Vec::Constant(1, x));
  }
  return moments;
}

// Values that are normal are centred; where sigma is learned each column is in units of its standard deviation, so
// that one sigma can serve columns of any units.
void scale(NamedSequences& series, const Config& config, IhmmSettings& settings) {
  Mat& values = series.data.values;
  settings.shift = Vec::Zero(values.rows());
  settings.scale = Vec::Ones(values.rows());
  if (settings.beam.emission != Emission::normal) return;
  for (Index i = 0; i < values.rows(); ++i) {
    const RunningMoments moments = moments_of_row(values, i);
    settings.shift[i] = moments.mean()[0];
    const double variance = moments.variance()[0];  // NaN of one value
    if (config.real("sigma") == 0 && variance > 0) settings.scale[i] = std::sqrt(variance);
  }
  values = settings.scale.cwiseInverse().asDiagonal() * (values.colwise() - settings.shift);
}

BeamOptions beam_options(const Sequences& scaled, Emission emission, const Config& config) {
  BeamOptions options = default_beam_options(scaled, emission);
  options.mean = 0;
  options.centre_variance *= config.real("centre_variance");
  options.precision_prior = {config.real("sigma_shape"), config.real("sigma_rate")};
  const double sigma = config.real("sigma"), rate_mean = config.real("rate_mean");
  options.learn_variance = sigma == 0;
  if (sigma > 0) options.variance = sigma * sigma;
  const double rate_shape = config.real("rate_shape");
  options.rate_prior = {rate_shape, rate_shape * (rate_mean > 0 ? 1 / rate_mean : options.rate_prior.rate)};
  options.category_prior = config.real("category_prior");
  options.learn_concentrations = config.flag("learn_concentrations");
  options.alpha_prior = {config.real("alpha_shape"), config.real("alpha_rate")};
  options.gamma_prior = {config.real("gamma_shape"), config.real("gamma_rate")};
  options.most_states = static_cast<Index>(config.integer("most_states"));
  return options;
}

}  // namespace

std::span<const ParamSpec> ihmm_params() { return params; }

std::unique_ptr<Target> make_ihmm(const Config& config, const Table* data) {
  const SeriesSettings choice = series_settings(config);
  auto series = std::make_shared<NamedSequences>(make_series(require_table(data, "ihmm"), choice));
  const std::string& record = config.text("record");
  IhmmSettings settings{.beam = {.emission = choice.emission},
                        .shift = {},
                        .scale = {},
                        .first_states = static_cast<Index>(config.integer("start_states")),
                        .record_levels = record == "levels" || record == "both",
                        .record_states = record == "states" || record == "both"};
  scale(*series, config, settings);
  settings.beam = beam_options(series->data, choice.emission, config);
  settings.first_states = std::min(settings.first_states, settings.beam.most_states);
  return std::make_unique<Ihmm>(std::move(series), std::move(settings));
}

}  // namespace quasar
