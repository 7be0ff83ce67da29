// Fits topics from the first step to the last: in memory, or so that it survives its process.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <quasar/sample.hpp>
#include <quasar/topics.hpp>

#include "front/topic_fit.hpp"
#include "io/durable_run.hpp"

namespace quasar {

// What a fit reads, for check_output: the documents, those held out, lists of words. Some may be empty, or no files.
std::vector<std::string> topic_inputs(const std::string& documents, const std::string& held_out,
                                      const Settings& reading);

// A stop request returns what is there, marked as stopped early. progress counts passes over the documents.
FittedTopics fit_topics(TopicFit& fit, ChainProgress& progress, const std::stop_token& stop);

// The same, with checkpoints in the folder `out`.part meanwhile, and the file of topics at the end. Killed at any
// moment and resumed, a fit finds the same, bit for bit. A fit that was stopped keeps its folder and can be resumed.
// durability.checkpoint_every counts passes. UsageError: what is there was begun in another way. DataError: it cannot
// be written.
FittedTopics fit_topics_durably(TopicFit& fit, const Durability& durability, ChainProgress& progress,
                                const std::stop_token& stop);

// Whether `out` has the finished topics that `wanted` describes, so that resuming has nothing left to do. UsageError:
// they were made in another way; the message says what differs.
bool already_fitted(const Durability& durability, const TopicFitInfo& wanted);

}  // namespace quasar
