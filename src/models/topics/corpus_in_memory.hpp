// What the ways to fit topics ask of a source: some documents, and all of them in memory where a method goes over them
// again and again.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/errors.hpp>

namespace quasar {

// The source itself; a DataError if it has no documents.
inline std::shared_ptr<const DocumentSource> some_documents(std::shared_ptr<const DocumentSource> documents) {
  if (documents->documents() > 0 && documents->vocabulary() > 0) return documents;
  throw DataError("there are no documents to fit topics to");
}

class CorpusInMemory {
 public:
  explicit CorpusInMemory(std::shared_ptr<const DocumentSource> source) : source_(std::move(source)) {
    if (source_->whole()) return;
    std::vector<Index> all(static_cast<std::size_t>(source_->documents()));
    std::iota(all.begin(), all.end(), 0);
    source_->read(all, own_);
    source_.reset();
  }
  const Corpus& operator*() const { return source_ ? *source_->whole() : own_; }
  const Corpus* operator->() const { return &**this; }

 private:
  std::shared_ptr<const DocumentSource> source_;  // null: the documents are in own_
  Corpus own_;
};

}  // namespace quasar
