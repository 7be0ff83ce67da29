// Counts of words in documents while they are read, in any order; what comes twice is added up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <quasar/corpus.hpp>

namespace quasar {

inline constexpr std::int64_t most_documents_or_words = 0x7fffffff;  // numbers of 32 bits count them

// Whole, from 0 to 4294967295; 3.0 is 3. std::invalid_argument with the cause
std::uint32_t count_in(std::string_view text);

class WordCounts {
 public:
  // Both from 0. A count of 0 is nothing. std::invalid_argument: more documents or words than can be counted.
  void add(std::int64_t document, std::int64_t word, std::uint32_t count);
  void settle();  // a document is complete: its words take no more memory than they need
  std::int64_t size() const { return std::ssize(entries_); }

  // Words get the numbers places[word]; none (negative) and they are left out.
  void renumber(const std::vector<std::int64_t>& places);
  std::int64_t total() const;                           // tokens
  std::vector<std::int64_t> totals(Index words) const;  // of each word
  std::vector<std::int64_t> in_documents(Index words);  // how many documents have each word
  Corpus corpus(Index documents, Index vocabulary) &&;  // std::invalid_argument: a sum above 4294967295

 private:
  struct Entry {
    std::uint32_t document, word, count;
  };
  void merge_from(std::size_t begin);

  std::vector<Entry> entries_;
  std::size_t settled_ = 0;
};

}  // namespace quasar
