#include "models/factorization/make_factorization.hpp"

#include <array>
#include <string_view>

#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr std::array<Choice, 4> ways_of_duplicates{{{"error"}, {"keep"}, {"mean"}, {"last"}}};
constexpr std::array<Choice, 3> scalings{{{"range"}, {"standardize"}, {"raw"}}};
constexpr std::array<Choice, 4> hyperpriors{{{"scalar"}, {"diagonal"}, {"wishart"}, {"fixed"}}};

constexpr std::string_view doc_of_shape =
    "of the Gamma prior of the precisions of factors and biases; hyperprior=scalar or diagonal";
constexpr std::string_view doc_of_noise =
    "of the Gamma prior of the noise's precision, for ratings as they are scaled; not with hyperprior=fixed";

constexpr ParamSpec positive(std::string_view name, std::string_view doc, std::string_view init) {
  return {
      .name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100, .exclusive_min = true};
}

constexpr ParamSpec params[] = {
    {.name = "rank",
     .doc = "numbers that describe a user or an item, beside the bias",
     .type = ParamSpec::integer,
     .init = "10",
     .min = 1,
     .max = 10000},
    {.name = "biases",
     .doc = "whether users and items have a bias each, which is added to the rating",
     .type = ParamSpec::boolean,
     .init = "true"},
    {.name = "user",
     .doc = "the column of users; empty: the one called user, or else the first",
     .type = ParamSpec::text},
    {.name = "item",
     .doc = "the column of items; empty: the one called item, or else the second",
     .type = ParamSpec::text},
    {.name = "rating",
     .doc = "the column of ratings; empty: the one called rating, or else the third",
     .type = ParamSpec::text},
    {.name = "duplicates",
     .doc = "what to do where a user has rated an item twice: an error, keep both, take their mean or the last",
     .type = ParamSpec::choice,
     .init = "error",
     .choices = ways_of_duplicates},
    {.name = "scaling",
     .doc = "what centred ratings are divided by: their range, their sd (standardize), or nothing (raw)",
     .type = ParamSpec::choice,
     .init = "range",
     .choices = scalings},
    {.name = "hyperprior",
     .doc = "of the precisions of factors: scalar, one for all of a side; diagonal, a mean and a precision for each "
            "factor; wishart, means and a whole matrix; fixed, they are given",
     .type = ParamSpec::choice,
     .init = "scalar",
     .choices = hyperpriors},
    positive("shape", doc_of_shape, "1"),
    positive("rate", doc_of_shape, "1"),
    positive("strength", "rows that the prior mean 0 of factors is worth; hyperprior=diagonal or wishart", "1"),
    positive("noise_shape", doc_of_noise, "1"),
    positive("noise_rate", doc_of_noise, "1"),
    {.name = "gibbs_every",
     .doc = "passes over the data between two draws of precisions and means",
     .type = ParamSpec::integer,
     .init = "1",
     .min = 1,
     .max = 1e9},
    positive("precision", "of factors; hyperprior=fixed", "10"),
    positive("bias_precision", "of biases; hyperprior=fixed", "10"),
    positive("noise_precision", "of ratings as they are scaled; hyperprior=fixed", "10"),
    positive("start_sd", "of the factors and biases that a chain starts from", "0.03"),
};

}  // namespace

std::span<const ParamSpec> bpmf_params() { return params; }

FactorizationSettings factorization_settings(const Config& config) {
  return {.rank = static_cast<Index>(config.integer("rank")),
          .biases = config.flag("biases"),
          .fixed = config.text("hyperprior") == "fixed",
          .noise_precision = config.real("noise_precision"),
          .shape = config.real("noise_shape"),
          .rate = config.real("noise_rate"),
          .gibbs_every = static_cast<Index>(config.integer("gibbs_every")),
          .start_sd = config.real("start_sd")};
}

std::unique_ptr<Target> make_bpmf(const Config& config, const Table* data) {
  const Table& table = require_table(data, "bpmf");
  const FactorizationSettings settings = factorization_settings(config);
  return std::make_unique<Factorization>(make_ratings(table, config), settings,
                                         make_row_prior(config, settings.width()),
                                         make_row_prior(config, settings.width()));
}

}  // namespace quasar
