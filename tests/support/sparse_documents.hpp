// Documents that say little, or one thing very often: what a way to fit topics has to be defined for.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <quasar/corpus.hpp>

namespace quasar::test {

using CountsOfWords = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline std::shared_ptr<const DocumentSource> documents_of(Index vocabulary,
                                                          const std::vector<CountsOfWords>& documents) {
  Corpus corpus;
  corpus.vocabulary = vocabulary;
  for (const CountsOfWords& document : documents) {
    std::vector<std::uint32_t> words, counts;
    for (const auto& [word, count] : document) {
      words.push_back(word);
      counts.push_back(count);
    }
    corpus.add({words, counts});
  }
  return std::make_shared<DocumentsInMemory>(std::move(corpus));
}

// All are empty; one of one word; a million of one word among others.
inline std::vector<std::shared_ptr<const DocumentSource>> documents_that_say_little() {
  return {documents_of(3, {{}, {}, {}, {}}), documents_of(1, {{{0, 1}}}),
          documents_of(2, {{}, {{0, 1000000}}, {{1, 1}}})};
}

}  // namespace quasar::test
