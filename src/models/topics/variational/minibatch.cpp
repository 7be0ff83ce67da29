#include "models/topics/variational/minibatch.hpp"

#include <algorithm>

namespace quasar {

Minibatch read_minibatch(const DocumentSource& source, std::span<const Index> ids) {
  Minibatch batch;
  source.read(ids, batch.corpus);
  batch.words = batch.corpus.words;
  std::sort(batch.words.begin(), batch.words.end());
  batch.words.erase(std::unique(batch.words.begin(), batch.words.end()), batch.words.end());
  for (std::uint32_t& word : batch.corpus.words) {
    word = static_cast<std::uint32_t>(std::lower_bound(batch.words.begin(), batch.words.end(), word) -
                                      batch.words.begin());
  }
  batch.corpus.vocabulary = std::ssize(batch.words);
  return batch;
}

MinibatchOrder::MinibatchOrder(Index documents, Index batch, const Rng& rng)
    : batches_((documents + batch - 1) / batch), rng_(rng), order_(static_cast<std::size_t>(documents)) {}

std::vector<Index> MinibatchOrder::batch(std::int64_t step) {
  if (step / batches_ != epoch_) {
    epoch_ = step / batches_;
    rng_.at(static_cast<std::uint64_t>(epoch_)).stream("order").permutation(order_);
  }
  const Index i = step % batches_, documents = std::ssize(order_);
  std::vector<Index> ids(order_.begin() + i * documents / batches_, order_.begin() + (i + 1) * documents / batches_);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace quasar
