// The topics of the tokens of some documents, drawn given phi and the weights r: what gradients by r and by phi need to
// know of them. By Fisher's identity the mean of
//
//   grad log p(x_j | r) over x_j ~ p(x_j | document j, phi, r)   is   grad log p(document j | phi, r),
//
// and a few sweeps over the document draw x_j, about. A document is looked at once an iteration, however often it is
// asked for. Where topics are kept from one iteration to the next, sweeps go on where the last ones have ended, and
// many iterations do what a few sweeps from nothing cannot; that takes memory for every token.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "models/topics/token_topics.hpp"

namespace quasar {

class LocalTopics {
 public:
  struct Settings {
    Index sweeps = 5;   // of a document, each time it is looked at
    bool keep = false;  // the topics of its tokens: all documents have to be in memory
    int threads = 1;
  };
  struct Entry {
    TopicOfToken topic;
    std::uint32_t tokens;
  };

  LocalTopics(std::shared_ptr<const DocumentSource> documents, Index topics, Settings settings, const Rng& rng);

  Index documents() const { return source_->documents(); }
  Index topics() const { return phi_.topics(); }
  double exposure(double total_weight) const;  // sum_j -log(1 - p_j), about
  WordTopics& phi() { return phi_; }
  const WordTopics& phi() const { return phi_; }

  void begin(std::uint64_t iteration);           // forgets what was looked at
  bool awake() const { return iteration_ > 0; }  // before the first iteration there is nothing to see
  void look_at(std::span<const Index> documents, In weights);

  // Of a document that was looked at in this iteration.
  std::span<const Entry> entries(Index document) const;
  std::int64_t tokens(Index document) const;

  // Of all documents that were looked at in this iteration.
  Index looked_at() const { return std::ssize(held_); }
  double weight() const { return static_cast<double>(documents()) / static_cast<double>(looked_at()); }
  const WordTopicCounts& counts() const { return counts_; }

  // Of all documents there are, where topics are kept.
  bool keeps() const { return settings_.keep; }
  bool knows_all() const { return settings_.keep && unseen_ == 0; }
  const WordTopicCounts& kept_counts() const { return kept_counts_; }
  bool kept(Index document, Out counts) const;  // its tokens of each topic; false: it was never looked at

  void save(Writer& out) const;  // phi too
  void load(Reader& in);

 private:
  struct Held {
    Index document;
    std::int64_t begin, tokens;  // in the tokens of all that is held
    std::size_t first_entry;
    std::size_t entries = 0;
  };

  void hold(std::span<const Index> documents);          // makes room for those that are new
  std::size_t most_entries(std::int64_t tokens) const;  // of a document: there is one for each topic that it has
  Document document(std::size_t slot) const;
  std::span<TopicOfToken> topics_of(const Held& held);
  void draw_topics(std::size_t slot, DocumentSweep& sweep);
  void count_kept(const Held& held, std::uint32_t change);

  std::shared_ptr<const DocumentSource> source_;
  Settings settings_;
  Rng rng_;
  WordTopics phi_;
  std::vector<DocumentSweep> sweeps_;  // one for each thread

  std::uint64_t iteration_ = 0;
  std::vector<std::int32_t> slot_;  // of each document in held_; -1: not held
  std::vector<Held> held_;
  std::size_t first_new_ = 0;  // in held_, of this look
  std::vector<Index> new_documents_;
  Corpus read_;  // the new documents, where not all are in memory
  std::vector<TopicOfToken> drawn_;
  std::vector<Entry> entries_;
  WordTopicCounts counts_, kept_counts_;

  std::vector<std::int64_t> kept_begin_;
  std::vector<TopicOfToken> kept_topics_;
  std::vector<std::uint8_t> seen_;
  Index unseen_;
};

}  // namespace quasar
