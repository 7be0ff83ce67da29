#include "models/topics/local_topics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "core/parts.hpp"
#include "core/place.hpp"

namespace quasar {
namespace {

void add_tokens(const Document& document, std::span<const TopicOfToken> topics, std::uint32_t change,
                WordTopicCounts& counts) {
  std::size_t token = 0;
  for (std::size_t i = 0; i < document.words.size(); ++i) {
    const auto word = static_cast<Index>(document.words[i]);
    for (const std::size_t end = token + document.counts[i]; token < end; ++token) {
      counts(topics[token], word) += change;
    }
  }
}

}  // namespace

LocalTopics::LocalTopics(std::shared_ptr<const DocumentSource> documents, Index topics, Settings settings,
                         const Rng& rng)
    : source_(std::move(documents)),
      settings_(settings),
      rng_(rng),
      phi_(topics, source_->vocabulary()),
      sweeps_(static_cast<std::size_t>(settings.threads), DocumentSweep(topics)),
      slot_(static_cast<std::size_t>(source_->documents()), -1),
      counts_(WordTopicCounts::Zero(topics, source_->vocabulary())),
      unseen_(source_->documents()) {
  if (!settings_.keep) return;
  const Corpus& all = *source_->whole();
  kept_counts_ = counts_;
  kept_begin_.push_back(0);
  for (Index n = 0; n < all.documents(); ++n) kept_begin_.push_back(kept_begin_.back() + all.document(n).tokens());
  expect_countable(kept_begin_.back());
  kept_topics_.resize(static_cast<std::size_t>(kept_begin_.back()));
  seen_.resize(slot_.size());
}

double LocalTopics::exposure(double total_weight) const {
  const auto documents = static_cast<double>(source_->documents()), tokens = static_cast<double>(source_->tokens());
  return documents * std::log1p(tokens / documents / total_weight);
}

void LocalTopics::begin(std::uint64_t iteration) {
  iteration_ = iteration;
  for (const Held& held : held_) slot_[static_cast<std::size_t>(held.document)] = -1;
  held_.clear();
  counts_.setZero();
}

void LocalTopics::hold(std::span<const Index> documents) {
  first_new_ = held_.size();
  new_documents_.clear();
  for (const Index document : documents) {
    std::int32_t& slot = slot_[static_cast<std::size_t>(document)];
    if (slot >= 0) continue;
    slot = static_cast<std::int32_t>(first_new_ + new_documents_.size());
    new_documents_.push_back(document);
  }
  if (!source_->whole()) source_->read(new_documents_, read_);
  std::int64_t begin = 0;
  std::size_t first_entry = 0;
  if (!held_.empty()) {
    begin = held_.back().begin + held_.back().tokens;
    first_entry = held_.back().first_entry + most_entries(held_.back().tokens);
  }
  for (std::size_t i = 0; i < new_documents_.size(); ++i) {
    held_.push_back({new_documents_[i], begin, 0, first_entry});
    begin += held_.back().tokens = document(first_new_ + i).tokens();
    first_entry += most_entries(held_.back().tokens);
  }
  expect_countable(begin);
  if (!settings_.keep) drawn_.resize(std::max(drawn_.size(), static_cast<std::size_t>(begin)));
  entries_.resize(std::max(entries_.size(), first_entry));
}

std::size_t LocalTopics::most_entries(std::int64_t tokens) const {
  return static_cast<std::size_t>(std::min<std::int64_t>(tokens, topics()));
}

Document LocalTopics::document(std::size_t slot) const {
  if (const Corpus* all = source_->whole()) return all->document(held_[slot].document);
  return read_.document(static_cast<Index>(slot - first_new_));
}

std::span<TopicOfToken> LocalTopics::topics_of(const Held& held) {
  const auto tokens = static_cast<std::size_t>(held.tokens);
  if (!settings_.keep) return std::span(drawn_).subspan(static_cast<std::size_t>(held.begin), tokens);
  const std::int64_t begin = kept_begin_[static_cast<std::size_t>(held.document)];
  return std::span(kept_topics_).subspan(static_cast<std::size_t>(begin), tokens);
}

void LocalTopics::look_at(std::span<const Index> documents, In weights) {
  hold(documents);
  if (held_.size() == first_new_) return;
  for (DocumentSweep& sweep : sweeps_) sweep.set_weights(weights);
  for (std::size_t i = first_new_; i < held_.size(); ++i) count_kept(held_[i], -1U);
  constexpr Index together = 8;  // documents: batches are small
  const auto draw_some = [&](std::size_t thread, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) draw_topics(first_new_ + at(i), sweeps_[thread]);
  };
  in_parts(static_cast<Index>(held_.size() - first_new_), sweeps_.size(), draw_some, together);
  for (std::size_t i = first_new_; i < held_.size(); ++i) {
    add_tokens(document(i), topics_of(held_[i]), 1, counts_);
    if (settings_.keep) unseen_ -= 1 - std::exchange(seen_[static_cast<std::size_t>(held_[i].document)], 1);
    count_kept(held_[i], 1);
  }
}

void LocalTopics::draw_topics(std::size_t slot, DocumentSweep& sweep) {
  Held& held = held_[slot];
  const Document words = document(slot);
  const std::span<TopicOfToken> topics = topics_of(held);
  const Rng names = rng_.at(iteration_).child("document", static_cast<std::uint64_t>(held.document));
  if (!settings_.keep || !seen_[static_cast<std::size_t>(held.document)]) {
    sweep.start(words, phi_, topics, names.stream("start"));
  }
  for (Index i = 0; i < settings_.sweeps; ++i) {
    sweep.sweep(words, phi_, topics, names.child("sweep", static_cast<std::uint64_t>(i)).stream("topics"));
  }
  Entry* entry = entries_.data() + held.first_entry;
  const std::span<const std::uint32_t> counts = sweep.counts();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) *entry++ = {static_cast<TopicOfToken>(k), counts[k]};
  }
  held.entries = static_cast<std::size_t>(entry - entries_.data()) - held.first_entry;
}

void LocalTopics::count_kept(const Held& held, std::uint32_t change) {
  if (!settings_.keep || !seen_[static_cast<std::size_t>(held.document)]) return;
  add_tokens(source_->whole()->document(held.document), topics_of(held), change, kept_counts_);
}

std::span<const LocalTopics::Entry> LocalTopics::entries(Index document) const {
  const Held& held = held_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(document)])];
  return std::span(entries_).subspan(held.first_entry, held.entries);
}

std::int64_t LocalTopics::tokens(Index document) const {
  return held_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(document)])].tokens;
}

bool LocalTopics::kept(Index document, Out counts) const {
  const auto n = static_cast<std::size_t>(document);
  if (!settings_.keep || !seen_[n]) return false;
  counts.setZero();
  for (std::int64_t i = kept_begin_[n]; i < kept_begin_[n + 1]; ++i)
    ++counts[kept_topics_[static_cast<std::size_t>(i)]];
  return true;
}

void LocalTopics::save(Writer& out) const {
  out("phi", phi_);
  out("kept_topics", kept_topics_);
  out("seen", seen_);
}

void LocalTopics::load(Reader& in) {
  in("phi", phi_);
  in("kept_topics", kept_topics_);
  in("seen", seen_);
  if (!settings_.keep) return;
  const auto known = [&](TopicOfToken k) { return k < topics(); };
  if (!std::ranges::all_of(kept_topics_, known)) throw DataError("saved topics of tokens are more than there are");
  unseen_ = std::ranges::count(seen_, 0);
  kept_counts_.setZero();
  for (Index n = 0; n < documents(); ++n) {
    const auto begin = kept_begin_[static_cast<std::size_t>(n)], end = kept_begin_[static_cast<std::size_t>(n) + 1];
    count_kept({n, 0, end - begin, 0}, 1);
  }
}

}  // namespace quasar
