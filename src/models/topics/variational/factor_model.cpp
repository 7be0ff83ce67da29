#include "models/topics/variational/factor_model.hpp"

#include <utility>

#include "models/topics/variational/seeded_topics.hpp"

namespace quasar {

FactorModel::FactorModel(std::shared_ptr<const DocumentSource> documents, Index topics, double word_prior, int threads)
    : source_(some_documents(std::move(documents))),
      corpus_(source_),
      allocations_(*corpus_, topics, threads),
      words_(topics, corpus_->vocabulary, word_prior) {}

void FactorModel::start(const Rng& rng) {
  words_.set_shapes(seeded_topics(*source_, allocations_.topics(), words_.prior(), rng.child("topics")));
  start_documents();
}

double FactorModel::mean_tokens() const {
  const double pairs = static_cast<double>(allocations_.topics()) * static_cast<double>(corpus_->documents());
  return static_cast<double>(corpus_->tokens()) / pairs;
}

void FactorModel::share_out() {
  words_.fill_factors(allocations_);
  fill_document_factors();
  allocations_.share_out();
}

double FactorModel::bound() const {
  return allocations_.entropy() + words_.bound(allocations_.of_words(), allocations_.threads()) + bound_of_documents();
}

void FactorModel::save(Writer& out) const {
  out("words", words_);
  out("allocations", allocations_);
}

void FactorModel::load(Reader& in) {
  in("words", words_);
  in("allocations", allocations_);
}

}  // namespace quasar
