// The tables of the registry, and what an experiment has found, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <span>

#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "front/manifolds/problems.hpp"
#include "front/topic_methods.hpp"

namespace quasar {

nlohmann::ordered_json to_json(std::span<const ParamSpec> specs);
nlohmann::ordered_json to_json(std::span<const SamplerEntry> entries);
nlohmann::ordered_json to_json(std::span<const ModelEntry> entries);
nlohmann::ordered_json to_json(std::span<const TopicMethodEntry> entries);
nlohmann::ordered_json to_json(std::span<const ProblemEntry> entries);
nlohmann::ordered_json to_json(std::span<const ExperimentEntry> entries);
nlohmann::ordered_json to_json(const ExperimentEntry& entry, const ExperimentResult& result, double seconds);

}  // namespace quasar
