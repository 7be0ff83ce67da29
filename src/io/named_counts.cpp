#include "io/named_counts.hpp"

#include <algorithm>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

Vocabulary vocabulary_for(const DocumentSettings& settings) {
  if (settings.known == nullptr) return settings.vocabulary.empty() ? Vocabulary() : Vocabulary(settings.vocabulary);
  if (!settings.vocabulary.empty() && settings.vocabulary != settings.known->names) {
    throw UsageError("the words are those of the model: a vocabulary is for files in which they are numbers");
  }
  if (settings.known->names.empty()) {
    throw UsageError(
        "the words of the model have no names: it was fitted without a vocabulary and reads numbers alone");
  }
  return Vocabulary(settings.known->names);
}

}  // namespace

NamedCounts::NamedCounts(const DocumentSettings& settings)
    : settings_(settings),
      tokenizer_(settings.min_length, settings.stop_words),
      vocabulary_(vocabulary_for(settings)) {}

void NamedCounts::add(Index document, std::string_view word, std::uint32_t count) {
  const auto number = vocabulary_.number(word);
  if (number)
    counts_.add(document, *number, count);
  else
    left_out_ += count;
}

void NamedCounts::add_text(Index document, std::string_view text) {
  tokenizer_.each_word(text, [&](std::string_view word) { add(document, word, 1); });
}

void NamedCounts::choose_words() {
  const std::vector<std::string> found = vocabulary_.words();
  const auto size = std::ssize(found);
  const auto totals = counts_.totals(size), in_documents = counts_.in_documents(size);
  std::vector<std::size_t> order;
  for (std::size_t word = 0; word < found.size(); ++word) {
    if (in_documents[word] >= std::max<std::int64_t>(settings_.min_documents, 1)) order.push_back(word);
  }
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return totals[a] != totals[b] ? totals[a] > totals[b] : found[a] < found[b];
  });
  if (settings_.max_words > 0 && std::ssize(order) > settings_.max_words) {
    order.resize(static_cast<std::size_t>(settings_.max_words));
  }
  std::vector<std::int64_t> places(found.size(), -1);
  for (std::size_t place = 0; place < order.size(); ++place) {
    places[order[place]] = static_cast<std::int64_t>(place);
    words_.push_back(found[order[place]]);
  }
  counts_.renumber(places);
}

void NamedCounts::give(Index documents, DocumentsRead& to) && {
  if (vocabulary_.closed())
    words_ = vocabulary_.words();
  else
    choose_words();
  to.corpus.counts = std::move(counts_).corpus(documents, std::ssize(words_));
  to.corpus.words = std::move(words_);
  to.left_out = left_out_;
}

}  // namespace quasar
