// All documents of a source, for methods that go over them again and again.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <quasar/corpus.hpp>

namespace quasar {

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
