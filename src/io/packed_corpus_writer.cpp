#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include <quasar/errors.hpp>

#include "io/file_descriptor.hpp"
#include "io/packed_corpus.hpp"
#include "io/packed_corpus_format.hpp"
#include "io/packed_file.hpp"

namespace quasar {
namespace {

std::vector<std::byte> begins_and_texts(const NamedCorpus& corpus, const std::filesystem::path& path) {
  std::vector<std::byte> rest;
  append_bytes<std::int64_t>(rest, corpus.counts.begin);
  for (const auto* texts : {&corpus.words, &corpus.documents}) {
    for (const std::string& text : *texts) {
      if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw DataError(fmt::format("{}: a name of more than 4 GiB cannot be packed", path.string()));
      }
      const auto length = static_cast<std::uint32_t>(text.size());
      append_bytes<std::uint32_t>(rest, {&length, 1});
    }
  }
  for (const auto* texts : {&corpus.words, &corpus.documents}) {
    for (const std::string& text : *texts) append_bytes<char>(rest, text);
  }
  return rest;
}

PackedCorpusHead corpus_head(const NamedCorpus& corpus) {
  PackedCorpusHead head{};
  std::memcpy(head.mark, packed_corpus_mark, sizeof packed_corpus_mark);
  head.version = packed_corpus_version;
  head.documents = static_cast<std::uint64_t>(corpus.counts.documents());
  head.vocabulary = static_cast<std::uint64_t>(corpus.counts.vocabulary);
  head.words = corpus.words.size();
  head.titles = corpus.documents.size();
  head.nonzeros = static_cast<std::uint64_t>(corpus.counts.nonzeros());
  head.tokens = static_cast<std::uint64_t>(corpus.counts.tokens());
  head.text_bytes = bytes_of(corpus.words) + bytes_of(corpus.documents);
  head.data_begin = packed_corpus_begin(head);
  head.file_size = head.data_begin + head.nonzeros * sizeof(PackedWord);
  std::copy_n(corpus.content_hash.begin(), std::min(corpus.content_hash.size(), sizeof head.content_hash),
              head.content_hash);
  return head;
}

// A piece at a time: a second copy of the corpus would need as much memory again. Returns their checksum.
std::uint32_t write_words(const Corpus& corpus, std::uint64_t begin, FileDescriptor& file) {
  constexpr std::size_t piece = 1 << 16;
  std::uint32_t sum = 0;
  std::vector<PackedWord> words;
  for (std::size_t first = 0; first < corpus.words.size(); first += piece) {
    words.clear();
    for (std::size_t i = first; i < std::min(first + piece, corpus.words.size()); ++i) {
      words.push_back({corpus.words[i], corpus.counts[i]});
    }
    const auto bytes = std::as_bytes(std::span(words));
    sum = checksum(bytes, sum);
    file.write_at(static_cast<std::int64_t>(begin + first * sizeof(PackedWord)), bytes);
  }
  return sum;
}

}  // namespace

void write_packed_corpus(const std::filesystem::path& path, const NamedCorpus& corpus, IfExists if_exists) {
  AtomicFile file(path);
  PackedCorpusHead head = corpus_head(corpus);
  const std::vector<std::byte> rest = begins_and_texts(corpus, path);
  {
    FileDescriptor bytes = FileDescriptor::open_existing(file.temporary());
    bytes.write_at(sizeof head, rest);
    head.data_checksum = write_words(corpus.counts, head.data_begin, bytes);
    head.checksum = packed_header_checksum(head, rest);
    bytes.write_at(0, std::as_bytes(std::span(&head, 1)));
  }
  file.commit(if_exists);
}

}  // namespace quasar
