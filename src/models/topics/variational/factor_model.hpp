// What the variational posteriors of all topic models have in common: the tokens' shares and the words of the topics,
// and steps ("lines") that each raise the bound
//
//   F = E_q log p(documents, everything) - E_q log q(everything) <= log p(documents).
#pragma once

#include <memory>
#include <vector>

#include "models/topics/corpus_in_memory.hpp"
#include "models/topics/topic_method.hpp"
#include "models/topics/variational/allocations.hpp"
#include "models/topics/variational/topic_dirichlets.hpp"

namespace quasar {

class FactorModel {
 public:
  FactorModel(std::shared_ptr<const DocumentSource> documents, Index topics, double word_prior, int threads);
  virtual ~FactorModel() = default;

  void start(const Rng& rng);  // anew
  virtual Index lines() const = 0;
  virtual void line(Index i) = 0;  // all of them in order are a sweep
  double bound() const;

  virtual Vec weights() const = 0;                        // r_k for new documents
  virtual Vec expected_topics(Index document) const = 0;  // E theta_n, in any unit
  virtual std::vector<NamedNumber> scalars() const = 0;
  virtual void save(Writer& out) const;
  virtual void load(Reader& in);

  const Corpus& corpus() const { return *corpus_; }
  Allocations& allocations() { return allocations_; }
  const Allocations& allocations() const { return allocations_; }
  TopicDirichlets& words() { return words_; }
  const TopicDirichlets& words() const { return words_; }

 protected:
  virtual void start_documents() = 0;
  virtual void fill_document_factors() = 0;
  virtual double bound_of_documents() const = 0;  // all terms but those of allocations and words

  void share_out();
  void learn_words() { words_.learn(allocations_); }
  double mean_tokens() const;  // of a topic in a document

 private:
  std::shared_ptr<const DocumentSource> source_;
  CorpusInMemory corpus_;
  Allocations allocations_;
  TopicDirichlets words_;
};

}  // namespace quasar
