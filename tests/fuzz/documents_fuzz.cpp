// Documents of every kind. The first byte says how many bytes a read returns; its bits say what is asked as well.
#include <algorithm>

#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/documents.hpp"
#include "io/field_text.hpp"
#include "io/tokenizer.hpp"
#include "io/vocabulary.hpp"

namespace {

using namespace quasar;

void check(const DocumentsRead& read) {
  const Corpus& counts = read.corpus.counts;
  fuzz::require(counts.documents() > 0 && counts.nonzeros() > 0 && counts.begin.front() == 0);
  fuzz::require(counts.words.size() == counts.counts.size() && std::ssize(counts.words) == counts.nonzeros());
  for (Index n = 0; n < counts.documents(); ++n) {
    const Document document = counts.document(n);
    fuzz::require(std::ranges::adjacent_find(document.words, std::greater_equal()) == document.words.end());
    fuzz::require(document.words.empty() || document.words.back() < counts.vocabulary);
    fuzz::require(std::ranges::count(document.counts, 0U) == 0);
  }
  fuzz::require(read.corpus.words.empty() || std::ssize(read.corpus.words) == counts.vocabulary);
  fuzz::require(read.corpus.documents.empty() || std::ssize(read.corpus.documents) == counts.documents());
  for (const std::string& word : read.corpus.words) fuzz::require(!word.empty() && is_utf8(word));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const std::size_t piece = 1 + std::size_t{data[0]};
  const KnownWords known{3, {"cat", "dog", "cow"}};
  DocumentSettings settings{.min_length = 1};
  if ((data[0] & 1) != 0) settings.vocabulary = {"a", "cat", "dog"};
  if ((data[0] & 2) != 0) settings.known = &known;
  if ((data[0] & 4) != 0) settings.stop_words = english_stop_words();
  if ((data[0] & 8) != 0) settings.max_words = 2;
  fuzz::read_or_refuse([&] { check(read_documents(fuzz::in_pieces(text, piece), settings)); });
  fuzz::read_or_refuse([&] { fuzz::require(!read_vocabulary(fuzz::in_pieces(text, piece)).empty()); });
  return 0;
}
