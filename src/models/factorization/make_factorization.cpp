#include "models/factorization/make_factorization.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "models/factorization/rating_params.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr std::array<Choice, 3> scalings{{{"range"}, {"standardize"}, {"raw"}}};
constexpr std::array<Choice, 4> hyperpriors{{{"scalar"}, {"diagonal"}, {"wishart"}, {"fixed"}}};

constexpr std::string_view doc_of_shape =
    "of the Gamma prior of the precisions of factors and biases; hyperprior=scalar or diagonal";
constexpr std::string_view doc_of_noise =
    "of the Gamma prior of the noise's precision, for ratings as they are scaled; not with hyperprior=fixed";

using rating_params::positive;

constexpr ParamSpec bpmf_keys[] = {
    rating_params::rank("numbers that describe a user or an item, beside the bias"),
    {.name = "biases",
     .doc = "whether users and items have a bias each, which is added to the rating",
     .type = ParamSpec::boolean,
     .init = "true"},
    rating_params::user,
    rating_params::item,
    rating_params::rating,
    rating_params::duplicates,
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

std::span<const ParamSpec> bpmf_params() { return bpmf_keys; }

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

FactorizationSetup bpmf_setup(const Config& config) {
  const FactorizationSettings settings = factorization_settings(config);
  return {settings, make_row_prior(config, settings.width()), make_row_prior(config, settings.width())};
}

std::unique_ptr<Target> make_bpmf(const Config& config, const Table* data) {
  const Table& table = require_table(data, "bpmf");
  FactorizationSetup setup = bpmf_setup(config);
  return std::make_unique<Factorization>(make_ratings(table, config), setup.settings, std::move(setup.users),
                                         std::move(setup.items));
}

}  // namespace quasar
