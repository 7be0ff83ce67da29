// Some documents of a source, with the words that they have numbered anew: what is made for them is no larger than they
// are, whatever the vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct Minibatch {
  Corpus corpus;                     // its vocabulary is that of the batch
  std::vector<std::uint32_t> words;  // the number in the source of each of its words, ascending
};

Minibatch read_minibatch(const DocumentSource& source, std::span<const Index> ids);

// Every document once in an epoch, in random order, in batches of nearly the same size.
class MinibatchOrder {
 public:
  MinibatchOrder(Index documents, Index batch, const Rng& rng);

  std::vector<Index> batch(std::int64_t step);  // ascending

 private:
  Index batches_;
  Rng rng_;
  std::int64_t epoch_ = -1;
  std::vector<Index> order_;  // of that epoch
};

}  // namespace quasar
