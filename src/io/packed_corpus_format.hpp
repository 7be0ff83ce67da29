// A packed corpus on disk: a head, where each document begins (and the end of the last), the lengths of words and of
// titles, words, titles, zeros up to a multiple of 4096 bytes, then the words of documents with their counts. Numbers
// are little-endian.
#pragma once

#include <cstdint>
#include <limits>

#include "io/packed_format.hpp"

namespace quasar {

inline constexpr char packed_corpus_mark[8] = {'Q', 'S', 'R', 'D', 'O', 'C', 'S', '\0'};
inline constexpr std::uint32_t packed_corpus_version = 1;

struct PackedCorpusHead {
  char mark[8];
  std::uint32_t version;
  std::uint32_t checksum;  // of the header: this head with a zero here, and all up to the zeros
  std::uint64_t documents, vocabulary;
  std::uint64_t words, titles;  // that have names: as many as above, or none
  std::uint64_t nonzeros, tokens;
  std::uint64_t text_bytes;  // of words and titles
  std::uint64_t data_begin, file_size;
  char content_hash[32];  // filled up with zeros
  std::uint32_t data_checksum;
  std::uint32_t unused;
};
static_assert(sizeof(PackedCorpusHead) == 128);

struct PackedWord {
  std::uint32_t word, count;
};
static_assert(sizeof(PackedWord) == 8);

// Bounds of what a damaged header can ask for, so that sizes do not overflow.
inline constexpr std::uint64_t most_packed_documents_or_words = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t most_packed_corpus_text = std::uint64_t{1} << 40;

constexpr std::uint64_t packed_corpus_header_size(const PackedCorpusHead& head) {
  return sizeof head + (head.documents + 1) * sizeof(std::uint64_t) +
         (head.words + head.titles) * sizeof(std::uint32_t) + head.text_bytes;
}
constexpr std::uint64_t packed_corpus_begin(const PackedCorpusHead& head) {
  return after_zeros(packed_corpus_header_size(head));
}

}  // namespace quasar
