// The part of a sweep of SGP that goes over the documents: topics of tokens and weights z, given phi and g.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

#include "models/topics/integer_weights.hpp"
#include "models/topics/token_topics.hpp"

namespace quasar {

struct TopicInDocument {      // a topic that a document uses: z > 0
  std::uint32_t topic, z, x;  // x: tokens of it
};

// Sums over documents are of whole numbers: they do not depend on who adds first.
class SgpDocuments {
 public:
  // phi of the atoms in use, and g_k of all.
  SgpDocuments(const WordTopics& phi, In weights, int threads);

  // x and z of one document; its topics ascend, before and after.
  void draw(std::size_t thread, const Document& document, std::vector<TopicInDocument>& topics, const Rng& rng);

  const WordTopicCounts& words_of_topics() const { return words_of_topics_; }  // Y_vk, topics x words
  std::span<const std::uint64_t> uses() const { return uses_; }                // Z_k = sum_n z_nk

 private:
  struct Scratch {  // one thread's; zero between documents
    std::vector<double> sums;
    std::vector<std::uint32_t> z, x, unseen;
    IntegerWeights integers;
  };
  void allocate(const Document& document, std::span<const TopicInDocument> topics, Scratch& s, Stream uniforms);
  void draw_weights(std::vector<TopicInDocument>& topics, Scratch& s, Stream draws);

  const WordTopics& phi_;
  std::vector<double> weights_, running_sums_;
  WordTopicCounts words_of_topics_;
  std::vector<std::uint64_t> uses_;
  std::vector<Scratch> scratch_;
};

}  // namespace quasar
