#include <numeric>

#include <quasar/corpus.hpp>

namespace quasar {
namespace {

std::int64_t sum(std::span<const std::uint32_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

std::int64_t Document::tokens() const { return sum(counts); }

std::int64_t Corpus::tokens() const { return sum(counts); }

Document Corpus::document(Index n) const {
  const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(n)]);
  const auto size = static_cast<std::size_t>(begin[static_cast<std::size_t>(n) + 1]) - first;
  return {std::span(words).subspan(first, size), std::span(counts).subspan(first, size)};
}

void Corpus::add(Document document) {
  words.insert(words.end(), document.words.begin(), document.words.end());
  counts.insert(counts.end(), document.counts.begin(), document.counts.end());
  begin.push_back(std::ssize(words));
}

void Corpus::clear() {
  begin.assign(1, 0);
  words.clear();
  counts.clear();
}

void DocumentsInMemory::read(std::span<const Index> ids, Corpus& to) const {
  to.clear();
  to.vocabulary = corpus_.vocabulary;
  for (const Index id : ids) to.add(corpus_.document(id));
}

}  // namespace quasar
