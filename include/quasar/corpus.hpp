// quasar/corpus.hpp -- documents as counts of words. Where they came from is the business of io.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct Document {  // a view: a word and how often, words in ascending order
  std::span<const std::uint32_t> words, counts;

  std::int64_t tokens() const;
};

// Documents one after another, each as its words and their counts.
struct Corpus {
  Index vocabulary = 0;                                // words are 0 .. vocabulary - 1
  std::vector<std::int64_t> begin = {0};               // where each document begins, and the end of the last
  std::vector<std::uint32_t> words = {}, counts = {};  // counts are at least 1; words of a document ascend

  Index documents() const { return std::ssize(begin) - 1; }
  std::int64_t nonzeros() const { return begin.back(); }
  std::int64_t tokens() const;
  Document document(Index n) const;
  void add(Document document);  // behind the last
  void clear();                 // of documents; the vocabulary stays
};

struct NamedCorpus {
  Corpus counts = {};
  std::vector<std::string> words = {};      // of the vocabulary; empty: they have none
  std::vector<std::string> documents = {};  // titles, files or ids; empty: they have none
  std::string source;                       // for messages: a file name, or "memory"
  std::string content_hash = {};            // of words and counts: the same from whichever file they came
};

// Documents that need not be in memory. Every thread may ask at any time.
struct DocumentSource {
  virtual ~DocumentSource() = default;
  virtual Index documents() const = 0;
  virtual Index vocabulary() const = 0;
  virtual std::int64_t tokens() const = 0;
  virtual void read(std::span<const Index> ids, Corpus& to) const = 0;  // replaces its documents, in the order of ids
  virtual const Corpus* whole() const { return nullptr; }               // all of them, where they are in memory
};

class DocumentsInMemory final : public DocumentSource {
 public:
  explicit DocumentsInMemory(Corpus corpus) : corpus_(std::move(corpus)), tokens_(corpus_.tokens()) {}
  Index documents() const override { return corpus_.documents(); }
  Index vocabulary() const override { return corpus_.vocabulary; }
  std::int64_t tokens() const override { return tokens_; }
  void read(std::span<const Index> ids, Corpus& to) const override;
  const Corpus* whole() const override { return &corpus_; }

 private:
  Corpus corpus_;
  std::int64_t tokens_;
};

}  // namespace quasar
