// The laws of r, the shapes of theta, given the topics of all tokens: what sets one factor analysis of counts apart
// from another.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "core/parts.hpp"
#include "models/topics/tables.hpp"
#include "models/topics/token_topics.hpp"
#include "models/topics/topic_method.hpp"

namespace quasar {

class TopicWeights {
 public:
  virtual ~TopicWeights() = default;

  virtual DocumentWeights in_documents() const = 0;  // r_k, or r_j
  virtual double sum(Index document) const = 0;      // over topics, in one document
  virtual Vec of_new_document() const = 0;           // r_k
  virtual std::vector<NamedNumber> scalars() const = 0;

  // A sweep tells how many tokens of each topic there are in each document, from several threads. Then r is drawn
  // anew, given -log(1 - p_j) of each document.
  virtual void begin(const Rng& sweep) = 0;
  virtual void see(std::size_t thread, Index document, std::span<const std::uint32_t> topic_counts) = 0;
  virtual void draw(In exposures) = 0;

  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

// L_k = sum_j CRT(x_jk, r_k), collected by threads.
class TopicTables {
 public:
  TopicTables(Index topics, std::size_t threads)
      : of_thread_(threads, std::vector<CountHistogram>(static_cast<std::size_t>(topics))) {}

  void clear();
  void see(std::size_t thread, std::span<const std::uint32_t> topic_counts) {
    for (std::size_t k = 0; k < topic_counts.size(); ++k) of_thread_[thread][k].add(topic_counts[k]);
  }
  Vec draw(In weights, const Rng& rng);  // after it nothing is collected any more

  template <class Use>
  void for_topics(const Use& use) const {  // use(topic), in threads
    in_parts(
        std::ssize(of_thread_.front()), of_thread_.size(),
        [&](std::size_t, Index begin, Index end) {
          for (Index topic = begin; topic < end; ++topic) use(topic);
        },
        1);
  }

 private:
  std::vector<std::vector<CountHistogram>> of_thread_;
};

}  // namespace quasar
