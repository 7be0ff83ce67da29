// Ways to fit topics side by side: how well they tell the words of their documents that were kept back, step by step.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <quasar/experiment.hpp>

#include "models/topics/held_out.hpp"
#include "models/topics/topic_method.hpp"

namespace quasar {

struct TopicCandidate {
  std::string name;  // as the paper calls it
  std::span<const ParamSpec> (*params)();
  MakeTopicMethod make;
  bool draws;  // a sampler: predictions of several draws are averaged
};

TopicCandidate topic_candidate(const std::string& name);  // VGP, VnGP, VBP, VIBP, SGP or SNBP

struct TopicSchedule {
  Index steps = 1, every = 1;  // measured after every so many
  Index averaged = 30;         // of the last measurements, where the method draws
};

struct TopicCurve {
  std::vector<double> steps, seconds, per_word;  // at each measurement; seconds of the processor for steps alone
  double seconds_per_step = 0;
  double of_average = 0;  // log likelihood per word of averaged predictions; of a method that does not draw, the last
  double topics = 0;      // at the end: those that half a token or more belongs to
};

// Stops where the method has converged.
TopicCurve topic_curve(const TopicCandidate& candidate, const TokenSplit& split, const Settings& settings,
                       const TopicSchedule& schedule, std::uint64_t seed);

// CPU seconds of a step, when so many have been made.
double seconds_of_a_step(const TopicCandidate& candidate, const Corpus& corpus, const Settings& settings, Index steps);

// log likelihood per word, CPU seconds an iteration, topics in use.
struct PrintedTopics {
  std::optional<double> per_word = std::nullopt, seconds = std::nullopt, topics = std::nullopt;
};
void add_topic_rows(const std::string& method, const TopicCurve& curve, const PrintedTopics& printed,
                    ExperimentResult& result);

}  // namespace quasar
