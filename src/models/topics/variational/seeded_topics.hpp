// Where topics start from: each from a document of its own, drawn at random, mixed with the words of many.
#pragma once

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// Shapes of the topics' Dirichlet laws, topics x words: prior + the tokens of all documents, shared out among the
// topics in equal parts. Reads a few hundred documents, or one for each topic.
Mat seeded_topics(const DocumentSource& source, Index topics, double prior, const Rng& rng);

}  // namespace quasar
