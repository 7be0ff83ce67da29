// Counts of words that come by their names: the vocabulary is made of them, or given.
#pragma once

#include <string_view>
#include <vector>

#include "io/documents.hpp"
#include "io/tokenizer.hpp"
#include "io/vocabulary.hpp"
#include "io/word_counts.hpp"

namespace quasar {

class NamedCounts {
 public:
  explicit NamedCounts(const DocumentSettings& settings);  // UsageError: known words without names

  // Each may throw std::invalid_argument with the cause.
  void add(Index document, std::string_view word, std::uint32_t count);
  void add_text(Index document, std::string_view text);
  void end_document() { counts_.settle(); }  // where none comes back

  void give(Index documents, DocumentsRead& to) &&;

 private:
  void choose_words();  // of those that were found

  const DocumentSettings& settings_;
  Tokenizer tokenizer_;
  Vocabulary vocabulary_;
  WordCounts counts_;
  std::vector<std::string> words_;
  std::int64_t left_out_ = 0;
};

}  // namespace quasar
