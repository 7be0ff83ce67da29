#include "models/topics/topic_params.hpp"

#include "models/topics/document_sweep.hpp"

namespace quasar {

ParamSpec topics_param(std::string_view init) {
  return {.name = "topics",
          .doc = "room for so many topics; those that the documents do not need stay empty",
          .type = ParamSpec::integer,
          .init = init,
          .min = 1,
          .max = static_cast<double>(most_topics)};
}

ParamSpec word_prior_param(std::string_view init) {
  return {.name = "word_prior",
          .doc = "shapes of the Dirichlet law of a topic's words: the smaller, the fewer words a topic has",
          .type = ParamSpec::real,
          .init = init,
          .min = 1e-4,
          .max = 1e4};
}

ParamSpec positive_param(std::string_view name, std::string_view doc, std::string_view init) {
  return {.name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 1e-6, .max = 1e6};
}

std::vector<ParamSpec> scale_params() {
  return {positive_param("a0", "first shape of the law of p_n ~ Beta(a0, b0), which scales document n", "0.01"),
          positive_param("b0", "second shape of it", "0.01")};
}

std::vector<ParamSpec> gamma_process_params() {
  return {{.name = "rounds",
           .doc = "R: the process is cut off after so many rounds",
           .type = ParamSpec::integer,
           .init = "10",
           .min = 1,
           .max = 10000},
          positive_param("alpha_shape", "of the Gamma law of alpha, by which weights fall from round to round", "1"),
          positive_param("alpha_rate", "of the same law", "1"),
          positive_param("gamma_shape", "of the Gamma law of gamma, the mean number of topics in a round", "1"),
          positive_param("gamma_rate", "of the same law", "1"),
          positive_param("c_shape", "of the Gamma law of c, the rate of the weights", "1"),
          positive_param("c_rate", "of the same law", "1")};
}

GammaProcessHyperpriors gamma_process_hyperpriors(const Config& config) {
  return {config.integer("rounds"),
          {config.real("alpha_shape"), config.real("alpha_rate")},
          {config.real("gamma_shape"), config.real("gamma_rate")},
          {config.real("c_shape"), config.real("c_rate")}};
}

std::vector<ParamSpec> joined(std::initializer_list<std::vector<ParamSpec>> parts) {
  std::vector<ParamSpec> all;
  for (const std::vector<ParamSpec>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace quasar
