#include "io/packed_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

#include "io/field_text.hpp"
#include "io/file_descriptor.hpp"
#include "io/packed_corpus_format.hpp"
#include "io/packed_file.hpp"
#include "io/packed_header.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

struct CorpusHeader {
  PackedCorpusHead head{};
  std::vector<std::int64_t> begin;     // of documents
  std::vector<std::uint32_t> lengths;  // of words, then of titles
  std::string texts;
};

class PackedDocuments final : public DocumentSource {
 public:
  PackedDocuments(FileDescriptor file, std::string name, CorpusHeader header)
      : file_(std::move(file)), name_(std::move(name)), head_(header.head), begin_(std::move(header.begin)) {}

  Index documents() const override { return static_cast<Index>(head_.documents); }
  Index vocabulary() const override { return static_cast<Index>(head_.vocabulary); }
  std::int64_t tokens() const override { return static_cast<std::int64_t>(head_.tokens); }

  void read(std::span<const Index> ids, Corpus& to) const override {
    to.clear();
    to.vocabulary = vocabulary();
    std::vector<PackedWord> words;
    for (const Index id : ids) {
      const std::int64_t begin = begin_[static_cast<std::size_t>(id)], end = begin_[static_cast<std::size_t>(id) + 1];
      words.resize(static_cast<std::size_t>(end - begin));
      file_.read_at(offset(begin), std::as_writable_bytes(std::span(words)));
      check(words, id);
      for (const PackedWord& one : words) {
        to.words.push_back(one.word);
        to.counts.push_back(one.count);
      }
      to.begin.push_back(std::ssize(to.words));
    }
  }

 private:
  std::int64_t offset(std::int64_t word) const {
    return static_cast<std::int64_t>(head_.data_begin) + word * static_cast<std::int64_t>(sizeof(PackedWord));
  }

  // Whoever uses a word as a place in a list relies on it, and on their order.
  void check(std::span<const PackedWord> words, Index document) const {
    std::int64_t before = -1;
    for (const PackedWord& one : words) {
      if (one.word >= head_.vocabulary || one.word <= before || one.count == 0) {
        throw DataError(fmt::format("{}: is damaged: document {} has words that are not there, twice or not counted",
                                    name_, document + 1));
      }
      before = one.word;
    }
  }

  FileDescriptor file_;
  std::string name_;
  PackedCorpusHead head_;
  std::vector<std::int64_t> begin_;
};

constexpr PackedKind packed_corpus_kind{packed_corpus_mark, packed_corpus_version, "is no packed corpus",
                                        "has a packed corpus", "pack it again"};

class CorpusHeaderReader : PackedHeaderReader {
 public:
  CorpusHeaderReader(const FileDescriptor& file, std::string name) : PackedHeaderReader(file, std::move(name)) {}

  CorpusHeader read() {
    read_head();
    read_rest();
    check_documents();
    check_texts();
    check_sizes();
    return std::move(header_);
  }

 private:
  void read_head() {
    PackedCorpusHead& head = header_.head;
    PackedHeaderReader::read_head(packed_corpus_kind, head);
    if (std::max(head.documents, head.vocabulary) > most_packed_documents_or_words ||
        head.text_bytes > most_packed_corpus_text) {
      fail_damaged();
    }
    if (head.words != 0 && head.words != head.vocabulary) fail_damaged();
    if (head.titles != 0 && head.titles != head.documents) fail_damaged();
  }

  void read_rest() {
    const PackedCorpusHead& head = header_.head;
    const std::vector<std::byte> rest = PackedHeaderReader::read_rest(head, packed_corpus_header_size(head));
    header_.begin.resize(head.documents + 1);
    header_.lengths.resize(head.words + head.titles);
    header_.texts.resize(head.text_bytes);
    std::span<const std::byte> from = rest;
    take_bytes<std::int64_t>(from, header_.begin);
    take_bytes<std::uint32_t>(from, header_.lengths);
    take_bytes<char>(from, header_.texts);
  }

  void check_documents() const {
    const auto& begin = header_.begin;
    if (begin.front() != 0 || !std::ranges::is_sorted(begin)) fail_damaged();
    if (static_cast<std::uint64_t>(begin.back()) != header_.head.nonzeros) fail_damaged();
  }

  // Two words of one name would be one word to whoever looks it up.
  void check_texts() const {
    std::uint64_t bytes = 0;
    for (const std::uint32_t length : header_.lengths) bytes += length;
    if (bytes != header_.head.text_bytes) fail_damaged();
    std::vector<std::string_view> words;
    const char* text = header_.texts.data();
    for (std::uint64_t word = 0; word < header_.head.words; ++word) {
      words.emplace_back(text, header_.lengths[word]);
      text += header_.lengths[word];
    }
    const auto twice = one_of_two_equal(words);
    if (twice) fail(fmt::format("has the word '{}' twice: pack the corpus again", shown(*twice)));
  }

  void check_sizes() const {
    const PackedCorpusHead& head = header_.head;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (head.documents == 0 || head.vocabulary == 0 || head.nonzeros == 0 || head.tokens > most) fail_damaged();
    if (head.tokens < head.nonzeros || head.data_begin != packed_corpus_begin(head)) fail_damaged();
    if (head.nonzeros > (most - head.data_begin) / sizeof(PackedWord)) fail_damaged();
    if (head.file_size != head.data_begin + head.nonzeros * sizeof(PackedWord)) fail_damaged();
    require_stated_length(head.file_size);
  }

  CorpusHeader header_;
};

PackedCorpus corpus_of(const fs::path& path, CorpusHeader header, FileDescriptor file) {
  PackedCorpus corpus;
  const char* text = header.texts.data();
  for (std::size_t i = 0; i < header.lengths.size(); ++i) {
    (i < header.head.words ? corpus.words : corpus.titles).emplace_back(text, header.lengths[i]);
    text += header.lengths[i];
  }
  corpus.nonzeros = static_cast<std::int64_t>(header.head.nonzeros);
  corpus.content_hash = without_zeros(header.head.content_hash);
  corpus.documents = std::make_shared<PackedDocuments>(std::move(file), path.string(), std::move(header));
  return corpus;
}

// The tokens that the header counts are those of the documents, each of which is as it should be.
void check_all(const PackedCorpus& corpus, const std::string& name) {
  Corpus one;
  std::int64_t tokens = 0;
  for (Index document = 0; document < corpus.documents->documents(); ++document) {
    corpus.documents->read({&document, 1}, one);
    tokens += one.tokens();
  }
  if (tokens != corpus.documents->tokens()) {
    throw DataError(fmt::format("{}: is damaged: it has {} tokens, and its header tells of {}", name, tokens,
                                corpus.documents->tokens()));
  }
}

}  // namespace

bool is_packed_corpus(const fs::path& path) { return begins_with_mark(path, packed_corpus_mark); }

PackedCorpus open_packed_corpus(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  CorpusHeader header = CorpusHeaderReader(file, path.string()).read();
  return corpus_of(path, std::move(header), std::move(file));
}

PackedCorpus verify_packed_corpus(const fs::path& path) {
  FileDescriptor file = FileDescriptor::open_readable(path);
  CorpusHeader header = CorpusHeaderReader(file, path.string()).read();
  if (checksum_of(file, header.head.data_begin, header.head.file_size) != header.head.data_checksum) {
    throw DataError(fmt::format("{}: is damaged: its documents do not fit their checksum", path.string()));
  }
  PackedCorpus corpus = corpus_of(path, std::move(header), std::move(file));
  check_all(corpus, path.string());
  return corpus;
}

}  // namespace quasar
