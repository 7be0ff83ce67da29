#include "models/topics/token_topics.hpp"

#include <algorithm>

#include <quasar/errors.hpp>

#include "core/parts.hpp"

namespace quasar {
namespace {

constexpr Index documents_at_a_time =
    16;  // enough that taking them costs nothing, few enough that no thread waits long
constexpr Index words_at_once = 256;

}  // namespace

TokenTopics::TokenTopics(const Corpus& corpus, Index topics, int threads)
    : corpus_(&corpus), topics_(topics), first_token_{0} {
  for (Index n = 0; n < corpus.documents(); ++n)
    first_token_.push_back(first_token_.back() + corpus.document(n).tokens());
  expect_countable(first_token_.back());
  of_token_.resize(static_cast<std::size_t>(first_token_.back()));
  for (int t = 0; t < std::max(threads, 1); ++t) {
    counts_.emplace_back(WordTopicCounts::Zero(topics, corpus.vocabulary));
    sweeps_.emplace_back(topics);
  }
}

std::span<const TopicOfToken> TokenTopics::document(Index n) const {
  const auto first = static_cast<std::size_t>(first_token_[static_cast<std::size_t>(n)]);
  return std::span(of_token_).subspan(first,
                                      static_cast<std::size_t>(first_token_[static_cast<std::size_t>(n) + 1]) - first);
}

std::span<TopicOfToken> TokenTopics::document(Index n) {
  const auto found = std::as_const(*this).document(n);
  return {of_token_.data() + (found.data() - of_token_.data()), found.size()};
}

void TokenTopics::start(const WordTopics& phi, const DocumentWeights& weights, const Rng& rng, const Visit& visit) {
  visit_all(Act::start, &phi, &weights, rng, visit);
}

void TokenTopics::sweep(const WordTopics& phi, const DocumentWeights& weights, const Rng& rng, const Visit& visit) {
  visit_all(Act::sweep, &phi, &weights, rng, visit);
}

void TokenTopics::count(const Visit& visit) {
  const auto known = [&](TopicOfToken k) { return k < topics_; };
  if (!std::ranges::all_of(of_token_, known)) throw DataError("saved topics of tokens are more than there are");
  visit_all(Act::count, nullptr, nullptr, Rng(0), visit);
}

// Counts are whole numbers: whoever takes a document, the sums are the same.
void TokenTopics::visit_all(Act act, const WordTopics* phi, const DocumentWeights* weights, const Rng& rng,
                            const Visit& visit) {
  clear_word_counts();
  if (weights && weights->per == DocumentWeights::Per::topic) {
    for (DocumentSweep& sweep : sweeps_) sweep.set_weights(weights->values);
  }
  const auto visit_some = [&](std::size_t thread, Index begin, Index end) {
    DocumentSweep& sweep = sweeps_[thread];
    for (Index n = begin; n < end; ++n) {
      if (weights && weights->per == DocumentWeights::Per::document) sweep.set_weights(weights->values[n]);
      const std::span<TopicOfToken> topics = document(n);
      const auto uniforms = [&] { return rng.child("document", static_cast<std::uint64_t>(n)).stream("topics"); };
      if (act == Act::start) sweep.start(corpus_->document(n), *phi, topics, uniforms());
      if (act == Act::sweep) sweep.sweep(corpus_->document(n), *phi, topics, uniforms());
      if (act == Act::count) sweep.count(topics);
      add_word_counts(n, counts_[thread]);
      visit(thread, n, sweep.counts());
    }
  };
  in_parts(corpus_->documents(), threads(), visit_some, documents_at_a_time);
  sum_word_counts();
}

void TokenTopics::add_word_counts(Index document_number, WordTopicCounts& counts) const {
  const Document document = corpus_->document(document_number);
  const TopicOfToken* topic = this->document(document_number).data();
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    std::uint32_t* word = counts.col(document.words[i]).data();
    for (std::uint32_t c = 0; c < document.counts[i]; ++c) ++word[*topic++];
  }
}

void TokenTopics::clear_word_counts() {
  const auto clear = [&](std::size_t, Index begin, Index end) {
    for (WordTopicCounts& counts : counts_) counts.middleCols(begin, end - begin).setZero();
  };
  in_parts(corpus_->vocabulary, threads(), clear, words_at_once);
}

void TokenTopics::sum_word_counts() {
  if (threads() == 1) return;
  const auto sum = [&](std::size_t, Index begin, Index end) {
    for (std::size_t t = 1; t < counts_.size(); ++t) {
      counts_.front().middleCols(begin, end - begin) += counts_[t].middleCols(begin, end - begin);
    }
  };
  in_parts(corpus_->vocabulary, threads(), sum, words_at_once);
}

}  // namespace quasar
