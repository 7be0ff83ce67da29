// The file of fitted topics: netCDF-4, enough to show them, to read new documents by them and to fit them again.
//
//   /            attributes: TopicFitInfo, quasar_topics (the version of the format)
//   /topics      phi (draw, topic, word), weights (draw, topic), prevalence (topic), word_count (word), word: the words
//   /trace       passes, seconds, objective, topics_in_use (moment), scalars (moment, name), name: their names
//   /posterior   of samplers, after the burn-in: each scalar under its name, (chain, draw), as ArviZ wants it
//   /held_out    passes, seconds, perplexity (evaluation)
//   /documents   share (document, topic), document: the titles, where they have any
//
// A group of which there is nothing is left out. phi and shares are single precision. The last bytes are a checksum
// (io/seal.hpp).
#pragma once

#include <filesystem>

#include <quasar/topics.hpp>

#include "io/atomic_file.hpp"

namespace quasar {

// In one step: a temporary file, synced, then renamed. DataError: it cannot be written, or appeared meanwhile.
void write_topics(AtomicFile file, const FittedTopics& found, IfExists if_exists);

// DataError: no such file, damaged, no file of topics, made by a newer Quasar, or with numbers that cannot be.
FittedTopics read_topics(const std::filesystem::path& path);

// Alone what the file says of itself.
TopicFitInfo read_topics_info(const std::filesystem::path& path);

}  // namespace quasar
