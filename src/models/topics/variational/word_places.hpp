// A corpus word by word: the documents that have a word, and where in the corpus their counts of it stand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/corpus.hpp>

namespace quasar {

class WordPlaces {
 public:
  explicit WordPlaces(const Corpus& corpus);

  struct Word {  // in the order of the documents
    std::span<const std::uint32_t> documents;
    std::span<const std::int64_t> places;  // in Corpus::counts
  };
  Word word(Index v) const;
  std::size_t most() const { return most_; }  // documents that any word is in

 private:
  std::vector<std::int64_t> begin_, places_;
  std::vector<std::uint32_t> documents_;
  std::size_t most_ = 0;
};

}  // namespace quasar
