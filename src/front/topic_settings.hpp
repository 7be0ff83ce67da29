// What a fit of topics can be asked for beside the parameters of its method.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

#include <quasar/config.hpp>

#include "front/topic_methods.hpp"

namespace quasar {

struct TopicFitSettings {
  const TopicMethodEntry* method = nullptr;
  Config parameters;          // of the method
  double sweeps = 0;          // passes over the documents
  double burn_in = 0;         // of them, before the first draw is kept
  Index draws = 10;           // to keep, evenly spaced; a variational method has one
  double evaluate_every = 0;  // passes between two points of the held-out curve
  std::string shares = "auto";
  std::uint64_t seed = 1;
  int threads = 1;

  nlohmann::ordered_json to_json() const;  // all that decides the result
};

std::span<const ParamSpec> topic_fit_params();

// fit: values of topic_fit_params; parameters: of its method. UsageError
TopicFitSettings topic_fit_settings(const Config& fit, const Settings& parameters);

}  // namespace quasar
