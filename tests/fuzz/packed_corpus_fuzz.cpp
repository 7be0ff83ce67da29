// A packed corpus. The checksum of the header is put right and the file is brought to the length that the header states
// (if that is not long), so that what lies behind these checks is reached too.
#include <cstring>
#include <string>

#include "io/packed_corpus.hpp"
#include "io/packed_corpus_format.hpp"
#include "memory_file.hpp"

namespace {

using namespace quasar;

std::string made_plausible(std::string bytes) {
  constexpr std::uint64_t longest = 1 << 16;
  PackedCorpusHead head;
  if (bytes.size() < sizeof head) return bytes;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.documents <= longest && head.words <= longest && head.titles <= longest && head.text_bytes <= longest &&
      packed_corpus_header_size(head) <= bytes.size()) {
    const auto header = std::as_bytes(std::span(bytes)).first(packed_corpus_header_size(head));
    head.checksum = packed_header_checksum(head, header.subspan(sizeof head));
    std::memcpy(bytes.data(), &head, sizeof head);
  }
  if (head.file_size <= longest) bytes.resize(head.file_size);
  return bytes;
}

void read_first_and_last(const DocumentSource& documents) {
  Corpus corpus;
  const Index ids[] = {0, documents.documents() - 1};
  documents.read(ids, corpus);
  fuzz::require(corpus.documents() == 2);
  for (const std::uint32_t word : corpus.words) fuzz::require(word < documents.vocabulary());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.set(made_plausible(std::string(fuzz::text_of(data, size))));
  fuzz::read_or_refuse([&] {
    const PackedCorpus corpus = open_packed_corpus(file.path());
    fuzz::require(is_packed_corpus(file.path()));
    fuzz::require(corpus.words.empty() || std::ssize(corpus.words) == corpus.documents->vocabulary());
    fuzz::require(corpus.titles.empty() || std::ssize(corpus.titles) == corpus.documents->documents());
    read_first_and_last(*corpus.documents);
    verify_packed_corpus(file.path());
  });
  return 0;
}
