// The commands below quasar topics.
#pragma once

#include <string>

#include <quasar/topics.hpp>

#include "commands.hpp"
#include "front/read_corpus.hpp"
#include "param_flags.hpp"

namespace quasar::cli {

Command add_topics_fit(CLI::App& topics);
Command add_topics_show(CLI::App& topics);
Command add_topics_infer(CLI::App& topics);
Command add_topics_score(CLI::App& topics);

// A file of topics that quasar topics fit has written.
void add_topics_file(CLI::App& command, std::string& file);

// A flag for each parameter of reading documents.
void add_corpus_flags(CLI::App& command, Settings& given);
Config corpus_config(std::string_view command, const Settings& given);

// New documents that are read by topics.
struct ReadingOptions {
  std::string file, data;
  Settings corpus, work;  // of corpus_params, and seed and threads
};
void add_reading(CLI::App& command, ReadingOptions& options);

struct ReadDocuments {
  FittedTopics topics;
  OpenCorpus documents;
  std::uint64_t seed = 1;
  int threads = 1;
};
ReadDocuments read_for(const ReadingOptions& options, std::string_view command);  // tells of unknown words

}  // namespace quasar::cli
