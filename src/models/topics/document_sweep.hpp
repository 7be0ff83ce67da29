// The topics of the tokens of one document, drawn one after another given phi and the weights r:
//
//   p(z_i = k | the others) ~ phi_{v_i k} (r_k + x_k without token i),   x_k: tokens of topic k in the document.
//
// theta_k ~ Gamma(r_k, .) is integrated out, which mixes better than drawing it, and given phi documents are
// independent, so that any number of threads may each take some (Magnusson, Jonsson, Villani and Broman 2018 for LDA;
// the negative binomial laws of Zhou and Carin 2015 have the same conditional, since the scale of theta cancels).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <quasar/corpus.hpp>
#include <quasar/rng.hpp>

#include "models/topics/word_topics.hpp"

namespace quasar {

using TopicOfToken = std::uint16_t;
inline constexpr Index most_topics = 65535;

// Tokens are counted in 32 bits, and a name holds so many uniforms.
inline constexpr std::int64_t most_tokens = std::numeric_limits<std::uint32_t>::max();
void expect_countable(std::int64_t tokens);  // DataError: more than most_tokens

class DocumentSweep {  // one thread's
 public:
  explicit DocumentSweep(Index topics);

  void set_weights(In weights);      // r_k: before the first sweep, and whenever they change
  void set_weights(double of_each);  // the same for all topics

  // Topics for a document that has none yet: each token given those before it. `topics` has a place for each token, in
  // the order of the words, each as often as it occurs.
  void start(const Document& document, const WordTopics& phi, std::span<TopicOfToken> topics, Stream uniforms);

  // Draws every token's topic anew, once.
  void sweep(const Document& document, const WordTopics& phi, std::span<TopicOfToken> topics, Stream uniforms);

  void count(std::span<const TopicOfToken> topics);  // of a document, as they are

  std::span<const std::uint32_t> counts() const { return {counts_.data(), static_cast<std::size_t>(topics_)}; }  // x_k

 private:
  double uniform(std::size_t token, std::size_t tokens, Stream& stream);  // of one token after another, from 0
  void put(std::size_t topic, std::uint32_t change);                      // x_topic += change, modulo 2^32
  TopicOfToken choose(const float* phi, double u) const;

  Index topics_;
  std::vector<float> weights_, totals_;  // r_k and r_k + x_k, filled up with zeros to the stride
  std::vector<std::uint32_t> counts_;
  Vec uniforms_;
};

}  // namespace quasar
