#include "models/topics/variational/word_places.hpp"

#include <algorithm>
#include <numeric>

namespace quasar {

WordPlaces::WordPlaces(const Corpus& corpus)
    : begin_(static_cast<std::size_t>(corpus.vocabulary) + 1),
      places_(corpus.words.size()),
      documents_(corpus.words.size()) {
  for (const std::uint32_t v : corpus.words) ++begin_[v + 1];
  if (corpus.vocabulary > 0) most_ = static_cast<std::size_t>(*std::max_element(begin_.begin(), begin_.end()));
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::int64_t> next = begin_;
  for (Index n = 0; n < corpus.documents(); ++n) {
    const auto end = corpus.begin[static_cast<std::size_t>(n) + 1];
    for (std::int64_t place = corpus.begin[static_cast<std::size_t>(n)]; place < end; ++place) {
      const auto to = static_cast<std::size_t>(next[corpus.words[static_cast<std::size_t>(place)]]++);
      documents_[to] = static_cast<std::uint32_t>(n);
      places_[to] = place;
    }
  }
}

WordPlaces::Word WordPlaces::word(Index v) const {
  const auto first = static_cast<std::size_t>(begin_[static_cast<std::size_t>(v)]);
  const auto size = static_cast<std::size_t>(begin_[static_cast<std::size_t>(v) + 1]) - first;
  return {std::span(documents_).subspan(first, size), std::span(places_).subspan(first, size)};
}

}  // namespace quasar
