#include "io/word_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "io/field_text.hpp"

namespace quasar {
namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint32_t count_in(std::string_view text) {
  const auto [value, problem] = parse_finite(text);
  if (problem.empty() && value >= 0 && value <= most && value == std::floor(value)) {
    return static_cast<std::uint32_t>(value);
  }
  throw std::invalid_argument(fmt::format("the count '{}' is not a whole number between 0 and {}", shown(text), most));
}

void WordCounts::add(std::int64_t document, std::int64_t word, std::uint32_t count) {
  if (document >= most_documents_or_words || word >= most_documents_or_words) {
    throw std::invalid_argument(
        fmt::format("more than {} documents or words cannot be counted", most_documents_or_words));
  }
  if (count > 0) entries_.push_back({static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(word), count});
}

void WordCounts::settle() {
  merge_from(settled_);
  settled_ = entries_.size();
}

void WordCounts::merge_from(std::size_t begin) {
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto key = [](const Entry& entry) { return std::tuple(entry.document, entry.word); };
  if (!std::ranges::is_sorted(first, entries_.end(), {}, key)) std::ranges::sort(first, entries_.end(), {}, key);
  auto last = first;  // of those that stay
  for (auto entry = first; entry != entries_.end(); ++entry) {
    if (entry == first) continue;
    if (key(*entry) != key(*last)) {
      *++last = *entry;
      continue;
    }
    if (entry->count > most - last->count) {
      throw std::invalid_argument(
          fmt::format("document {} has one word more than {} times", entry->document + 1, most));
    }
    last->count += entry->count;
  }
  if (first != entries_.end()) entries_.erase(last + 1, entries_.end());
}

void WordCounts::renumber(const std::vector<std::int64_t>& places) {
  std::erase_if(entries_, [&](Entry& entry) {
    const std::int64_t place = places[entry.word];
    entry.word = static_cast<std::uint32_t>(place);
    return place < 0;
  });
  settled_ = 0;
}

std::int64_t WordCounts::total() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

std::vector<std::int64_t> WordCounts::totals(Index words) const {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(words));
  for (const Entry& entry : entries_) sums[entry.word] += entry.count;
  return sums;
}

std::vector<std::int64_t> WordCounts::in_documents(Index words) {
  merge_from(0);
  std::vector<std::int64_t> documents(static_cast<std::size_t>(words));
  for (const Entry& entry : entries_) ++documents[entry.word];
  return documents;
}

Corpus WordCounts::corpus(Index documents, Index vocabulary) && {
  merge_from(0);
  Corpus corpus{.vocabulary = vocabulary};
  corpus.begin.reserve(static_cast<std::size_t>(documents) + 1);
  corpus.words.reserve(entries_.size());
  corpus.counts.reserve(entries_.size());
  auto entry = entries_.begin();
  for (Index document = 0; document < documents; ++document) {
    for (; entry != entries_.end() && entry->document == document; ++entry) {
      corpus.words.push_back(entry->word);
      corpus.counts.push_back(entry->count);
    }
    corpus.begin.push_back(std::ssize(corpus.words));
  }
  return corpus;
}

}  // namespace quasar
