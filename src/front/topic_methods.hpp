// The ways to fit topics: one explicit table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <quasar/config.hpp>

#include "models/topics/topic_method.hpp"

namespace quasar {

// A sampler draws from the posterior, one sweep over all documents after another; a stochastic one by minibatches. A
// variational method climbs to an optimum: its last state is what it has found.
enum class TopicKind { sampler, stochastic, variational };
std::string_view to_string(TopicKind kind);

struct TopicMethodEntry {
  std::string_view name, doc;
  TopicKind kind = TopicKind::sampler;
  Law law = Law::exact;
  std::string_view why = {};  // it has that law
  TopicCount count = TopicCount::bounded;
  bool endless = false;  // a variational method that makes all its sweeps
  double sweeps = 500;   // passes over the documents, unless a user says otherwise; at most so many, where it converges
  std::span<const ParamSpec> (*params)();
  MakeTopicMethod make;
};

std::span<const TopicMethodEntry> topic_methods();
bool is_endless(std::string_view method);
const TopicMethodEntry& find_topic_method(std::string_view name);  // UsageError: there is none

}  // namespace quasar
